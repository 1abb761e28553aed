-- release: hands tasks back unfinished, when their worker stops in order.
-- GUARANTEE: spends neither an attempt nor a crash; the task returns to its own place at once. Asked again after a lost
--   reply it answers the same.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at worker timeline_ms
-- ROWS: id fence
-- REPLY: released <now> { pending | lease_lost | missing }…
-- EVENT: released <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock layout buckets record unit histogram bands totals timeline line message gate lease feed
local answer = { 'released', tostring(now) }
local row_count = (#ARGV - ROWS_FROM + 1) / ROW_WIDTH
for index = 0, row_count - 1 do
  local at = ROWS_FROM + index * ROW_WIDTH
  local fence = tonumber(ARGV[at + row_fence])
  local task = load_task(ARGV[at + row_id])
  local word = 'lease_lost'
  if not task then
    word = 'missing'
  elseif task[STATE] == PROCESSING and holds(task, worker, fence) then
    drop_lease(task)
    clear_flag(task, RUN_OPEN)
    count_move(task, PROCESSING, PENDING)
    put_in_line(task, now)
    add_of(task[ID], 'released')
    note(task[ID], 'released', { run = fence, worker_id = worker })
    moved[#moved + 1] = task[ID]
    word = 'pending'
  elseif task[STATE] == PENDING and not has(task, RUN_OPEN) and task[FENCE] == fence and task[WORKER] == worker then
    word = 'pending'
  end
  answer[#answer + 1] = word
end
finish('released')
return answer
