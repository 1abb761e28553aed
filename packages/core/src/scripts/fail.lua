-- fail: ends runs with an error.
-- GUARANTEE: a late fail changes nothing. A transient error spends a retry and waits, a deferred one waits without
--   spending one until its total bound is reached, a permanent one is a dead letter at once (DESIGN P7). A crash spends
--   the crash budget instead (P6). The task keeps its score, so its place (P3).
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at worker deferred_limit_ms timeline_ms
-- ROWS: id fence class code delay_ms error
-- REPLY: failed <now> { retrying | pending | dead_letter | lease_lost | cancelled | missing }…
-- EVENT: failed <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock record unit totals timeline line feed lease message identity errors fan_in bury
local function wait(task, delay, code)
  count_move(task.id, task.state, RETRYING)
  task.state = RETRYING
  task.since = now + delay
  add_to(due, task.since, task.id)
  save_task(task)
  add('retried')
  note(task.id, 'failed', { run = task.fence, worker_id = worker, code = code, detail = tostring(delay) })
  return 'retrying'
end

local function bury_as(task, code)
  note(task.id, 'failed', { run = task.fence, worker_id = worker, code = code })
  bury(task, code)
  return 'dead_letter'
end

local function crashed(task)
  task.crashes = task.crashes + 1
  add('crashed')
  if task.crashes >= task.crash_budget then
    add_error(task, 0, '{"code":"crash_loop","message":"the worker died on this task ' .. task.crashes .. ' times"}')
    return bury_as(task, 'crash_loop')
  end
  count_move(task.id, task.state, PENDING)
  put_in_line(task, now)
  note(task.id, 'failed', { run = task.fence, worker_id = worker, code = 'crash' })
  return 'pending'
end

local function fail(task, at)
  local class, code, delay = ARGV[at + row_class], ARGV[at + row_code], tonumber(ARGV[at + row_delay_ms])
  drop_lease(task.id)
  clear_flag(task, RUN_OPEN)
  add((is_child(task.id) and 'child:' or '') .. 'failed')
  add('failed_runs')
  if class == 'crash' then
    add_error(task, 0, ARGV[at + row_error])
    return crashed(task)
  end
  if class == 'deferred' then
    add_error(task, task.attempts, ARGV[at + row_error])
    if task.deferred_since == 0 then task.deferred_since = now end
    if now + delay - task.deferred_since > deferred_limit_ms then return bury_as(task, code) end
    return wait(task, delay, code)
  end
  task.attempts = task.attempts + 1
  add_error(task, task.attempts, ARGV[at + row_error])
  if class == 'permanent' or task.attempts > task.max_retries then return bury_as(task, code) end
  return wait(task, delay, code)
end

local answer = { 'failed', tostring(now) }
local row_count = (#ARGV - ROWS_FROM + 1) / ROW_WIDTH
for index = 0, row_count - 1 do
  local at = ROWS_FROM + index * ROW_WIDTH
  local fence = tonumber(ARGV[at + row_fence])
  local task = load_task(ARGV[at + row_id])
  local word = 'lease_lost'
  if not task then
    word = 'missing'
  elseif task.state == PROCESSING and holds(task, worker, fence) then
    word = fail(task, at)
    moved[#moved + 1] = task.id
  elseif not has(task, RUN_OPEN) and task.fence == fence and task.worker == worker and task.state ~= COMPLETED and task.state ~= CANCELLED then
    word = STATE_NAMES[task.state]
  elseif task.state == CANCELLED and task.fence == fence then
    word = 'cancelled'
  end
  answer[#answer + 1] = word
end
finish('failed')
return answer
