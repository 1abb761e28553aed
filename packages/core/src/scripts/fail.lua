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
-- INCLUDE: clock layout buckets record unit histogram bands totals timeline line message gate lease feed identity errors fan_in bury
local function wait(task, delay, code)
  count_move(task, task[STATE], RETRYING)
  task[STATE] = RETRYING
  task[SINCE] = now + delay
  add_to(due, task[SINCE], task[ID])
  save_task(task)
  add_of(task[ID], 'retried')
  note(task[ID], 'failed', { run = task[FENCE], worker_id = worker, code = code, detail = tostring(delay) })
  return 'retrying'
end

local function bury_as(task, code)
  note(task[ID], 'failed', { run = task[FENCE], worker_id = worker, code = code })
  bury(task, code)
  return 'dead_letter'
end

local function crashed(task)
  task[CRASHES] = task[CRASHES] + 1
  add_of(task[ID], 'crashed')
  if task[CRASHES] >= task[CRASH_BUDGET] then
    add_error(task, 0, '{"code":"crash_loop","message":"the worker died on this task ' .. task[CRASHES] .. ' times"}')
    return bury_as(task, 'crash_loop')
  end
  count_move(task, task[STATE], PENDING)
  put_in_line(task, now)
  note(task[ID], 'failed', { run = task[FENCE], worker_id = worker, code = 'crash' })
  return 'pending'
end

local function fail(task, at)
  local class, code, delay = ARGV[at + row_class], ARGV[at + row_code], tonumber(ARGV[at + row_delay_ms])
  drop_lease(task)
  clear_flag(task, RUN_OPEN)
  add((is_child(task[ID]) and 'child:' or '') .. 'failed')
  add('failed_runs')
  if class == 'crash' then
    add_error(task, 0, ARGV[at + row_error])
    return crashed(task)
  end
  if class == 'deferred' then
    add_error(task, task[ATTEMPTS], ARGV[at + row_error])
    if task[DEFERRED_SINCE] == 0 then task[DEFERRED_SINCE] = now end
    if now + delay - task[DEFERRED_SINCE] > deferred_limit_ms then return bury_as(task, code) end
    return wait(task, delay, code)
  end
  task[ATTEMPTS] = task[ATTEMPTS] + 1
  add_error(task, task[ATTEMPTS], ARGV[at + row_error])
  if class == 'permanent' or task[ATTEMPTS] > task[MAX_RETRIES] then return bury_as(task, code) end
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
  elseif task[STATE] == PROCESSING and holds(task, worker, fence) then
    word = fail(task, at)
    moved[#moved + 1] = task[ID]
  elseif not has(task, RUN_OPEN) and task[FENCE] == fence and task[WORKER] == worker and task[STATE] ~= COMPLETED and task[STATE] ~= CANCELLED then
    word = STATE_NAMES[task[STATE]]
  elseif task[STATE] == CANCELLED and task[FENCE] == fence and task[WORKER] == worker then
    word = 'cancelled'
  end
  answer[#answer + 1] = word
end
finish('failed')
return answer
