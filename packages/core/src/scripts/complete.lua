-- complete: ends runs with a result.
-- GUARANTEE: accepted when worker and fence match the task's open run, wherever a reap has put the task meanwhile
--   (DESIGN P2); asked again after a lost reply it answers the same. The last child's completion resumes its parent.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at worker lock_keys timeline_ms
-- ROWS: id run result
-- RUN: fence,milliseconds that the result is kept,counters as `name=amount,name=amount…`
-- REPLY: completed <now> { completed | lease_lost | cancelled | missing }…, no word where every row is `completed`
-- EVENT: completed <id>…
-- FLAGS: allow-oom
-- PLAIN: clock layout buckets histogram bands plain
-- INCLUDE: record unit totals timeline line message gate lease feed identity errors fan_in reopen
local function count_counters(counters)
  for field, amount in string.gmatch(counters, '([^=,]+)=(%d+)') do add('counter:' .. field, tonumber(amount)) end
end

local function accept(task, at)
  local id, child = task[ID], is_child(task[ID])
  if task[STATE] == PROCESSING then
    remove_from(processing, id)
    if lock_keys == 1 then drop_lock(id) end
    leave_gate(task)
  elseif task[STATE] == DEAD_LETTER then
    unfile_dead(task)
    take_back_identity(task)
    -- Its death had been counted on the parent, which may have been assembled without it.
    if child and reopen_parent(id) then redis.call('HINCRBY', children_key(parent_of(id)), 'failed', -1) end
  else
    leave_place(task)
  end
  count_move(task, task[STATE], COMPLETED)
  add(child and 'child:completed' or 'completed')
  add_duration(child and 'child:run:' or 'run:', math.max(0, now - task[STARTED]))
  task[STATE], task[SINCE], task[PROGRESS] = COMPLETED, now, 10000
  clear_flag(task, RUN_OPEN)
  local run, result = read_run(ARGV[at + row_run]), ARGV[at + row_result]
  if result ~= '' then
    redis.call('SET', base .. 'result:' .. id, result, 'PXAT', run.result_ends)
  else
    free_identity(task)
  end
  -- A child is forgotten with its parent, so only tasks of their own enter the retention index.
  if not child then add_to(finished, now_text, id) end
  save_task(task)
  if run.counters ~= '' then count_counters(run.counters) end
  if timeline_ms > 0 then note(id, 'completed', { run = task[FENCE], worker_id = worker }) end
  moved[#moved + 1] = id
  if child then child_ended(id, 'completed') end
end

local function end_row(at)
  local task, fence = load_task(ARGV[at + row_id]), read_run(ARGV[at + row_run]).fence
  if not task then return 'missing' end
  if holds(task, worker, fence) then
    accept(task, at)
    return 'completed'
  end
  if task[FENCE] ~= fence or task[WORKER] ~= worker then return 'lease_lost' end
  return task[STATE] == COMPLETED and 'completed' or task[STATE] == CANCELLED and 'cancelled' or 'lease_lost'
end

local answer = { 'completed', now_text }
for at = ROWS_FROM, #ARGV, ROW_WIDTH do answer[#answer + 1] = end_row(at) end
finish('completed')
return answer
