-- complete: ends runs with a result.
-- GUARANTEE: accepted when worker and fence match the task's open run, wherever a reap has put the task meanwhile
--   (DESIGN P2); asked again after a lost reply it answers the same. The last child's completion resumes its parent.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at worker lock_keys timeline_ms
-- ROWS: id fence result_ms counters result
-- REPLY: completed <now> { completed | lease_lost | cancelled | missing }…
-- EVENT: completed <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock record unit totals timeline line message gate lease feed identity errors fan_in
local ids = {}
for at = ROWS_FROM, #ARGV, ROW_WIDTH do ids[#ids + 1] = ARGV[at + row_id] end
load_tasks(ids)

local function accept(task, at)
  local id, child = task[ID], is_child(task[ID])
  if task[STATE] == PROCESSING then
    remove_from(processing, id)
    if lock_keys == 1 then drop_lock(id) end
    leave_gate(task)
  elseif task[STATE] == DEAD_LETTER then
    unfile_dead(task)
    take_back_identity(task)
    -- Its death had been counted on the parent.
    if child then redis.call('HINCRBY', children_key(parent_of(id)), 'failed', -1) end
  else
    leave_place(task)
  end
  count_move(task, task[STATE], COMPLETED)
  add(child and 'child:completed' or 'completed')
  add_duration(child and 'child:run:' or 'run:', math.max(0, now - task[STARTED]))
  task[STATE], task[SINCE], task[PROGRESS] = COMPLETED, now, 10000
  clear_flag(task, RUN_OPEN)
  local result, counters = ARGV[at + row_result], ARGV[at + row_counters]
  if result ~= '' then
    redis.call('SET', base .. 'result:' .. id, result, 'PX', ARGV[at + row_result_ms])
  else
    free_identity(task)
  end
  -- A child is forgotten with its parent, so only tasks of their own enter the retention index.
  if not child then add_to(finished, now_text, id) end
  save_task(task)
  if counters ~= '' then
    for field, amount in string.gmatch(counters, '([^=,]+)=(%d+)') do add('counter:' .. field, tonumber(amount)) end
  end
  if timeline_ms > 0 then note(id, 'completed', { run = task[FENCE], worker_id = worker }) end
  moved[#moved + 1] = id
  if child then child_ended(id, 'completed') end
end

local answer = { 'completed', tostring(now) }
for at = ROWS_FROM, #ARGV, ROW_WIDTH do
  local fence = tonumber(ARGV[at + row_fence])
  local task = load_task(ARGV[at + row_id])
  local word = 'lease_lost'
  if not task then
    word = 'missing'
  elseif holds(task, worker, fence) then
    accept(task, at)
    word = 'completed'
  elseif task[STATE] == COMPLETED and task[FENCE] == fence and task[WORKER] == worker then
    word = 'completed'
  elseif task[STATE] == CANCELLED and task[FENCE] == fence and task[WORKER] == worker then
    word = 'cancelled'
  end
  answer[#answer + 1] = word
end
finish('completed')
return answer
