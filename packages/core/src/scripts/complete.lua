-- complete: ends runs with a result.
-- GUARANTEE: accepted when worker and fence match the task's open run, wherever a reap has put the task meanwhile
--   (DESIGN P2); asked again after a lost reply it answers the same. The last child's completion resumes its parent.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at worker timeline_ms
-- ROWS: id fence result_ms counters result
-- REPLY: completed <now> { completed | lease_lost | cancelled | missing }…
-- EVENT: completed <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock record totals timeline feed line lease message identity errors fan_in
local function finish(task, at)
  local started = task.started
  if task.state == DEAD_LETTER then
    unfile_dead(task)
    -- Its death had been counted on the parent.
    if is_child(task.id) then redis.call('HINCRBY', children_key(parent_of(task.id)), 'failed', -1) end
  else
    leave_place(task)
  end
  if task.state ~= PROCESSING then redis.call('DEL', locks .. task.id) end
  count_move(task.id, task.state, COMPLETED)
  task.state = COMPLETED
  task.since = now
  task.progress = 10000
  clear_flag(task, RUN_OPEN)
  local result = ARGV[at + row_result]
  if result ~= '' then
    redis.call('SET', base .. 'result:' .. task.id, result, 'PX', ARGV[at + row_result_ms])
  else
    free_identity(task)
  end
  -- A child is forgotten with its parent, so only tasks of their own enter the retention index.
  if not is_child(task.id) then redis.call('ZADD', finished, now, task.id) end
  save_task(task)
  local prefix = is_child(task.id) and 'child:' or ''
  add(prefix .. 'completed')
  add(prefix .. 'run:' .. bucket_of_duration(math.max(0, now - started)))
  for field, amount in string.gmatch(ARGV[at + row_counters], '([^=,]+)=(%d+)') do add('counter:' .. field, tonumber(amount)) end
  note(task.id, 'completed', { run = task.fence, worker_id = worker })
  moved[#moved + 1] = task.id
  child_ended(task.id, 'completed')
end

local answer = { 'completed', tostring(now) }
local row_count = (#ARGV - ROWS_FROM + 1) / ROW_WIDTH
for index = 0, row_count - 1 do
  local at = ROWS_FROM + index * ROW_WIDTH
  local fence = tonumber(ARGV[at + row_fence])
  local task = load_task(ARGV[at + row_id])
  local word = 'lease_lost'
  if not task then
    word = 'missing'
  elseif holds(task, worker, fence) then
    finish(task, at)
    word = 'completed'
  elseif task.state == COMPLETED and task.fence == fence and task.worker == worker then
    word = 'completed'
  elseif task.state == CANCELLED and task.fence == fence then
    word = 'cancelled'
  end
  answer[#answer + 1] = word
end
write_totals()
wake_if_head_improved()
publish_feed('completed')
return answer
