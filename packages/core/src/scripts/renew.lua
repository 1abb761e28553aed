-- renew: keeps leases alive and brings word back to their holder.
-- GUARANTEE: extends a lease only for the worker and fence of the task's open run; always leaves the lock key with a TTL.
--   A run that a reap has put back but nobody has claimed since is answered `reaped`: its late result is still welcome.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at worker lease_ms lock_keys timeline_ms
-- ROWS: id fence progress
-- REPLY: renewed <now> { renewed | reaped | cancelled | lost | missing }…
-- FLAGS: allow-oom
-- INCLUDE: clock layout buckets record unit timeline
local answer = { 'renewed', tostring(now) }
local row_count = (#ARGV - ROWS_FROM + 1) / ROW_WIDTH
local ids = {}
for at = ROWS_FROM, #ARGV, ROW_WIDTH do ids[#ids + 1] = ARGV[at + row_id] end
load_tasks(ids)
for index = 0, row_count - 1 do
  local at = ROWS_FROM + index * ROW_WIDTH
  local id, fence, progress = ARGV[at + row_id], tonumber(ARGV[at + row_fence]), tonumber(ARGV[at + row_progress])
  local task = load_task(id)
  local word = 'lost'
  if not task then
    word = 'missing'
  elseif holds(task, worker, fence) then
    if task[STATE] == PROCESSING then
      word = 'renewed'
      add_to(processing, now + lease_ms, id)
      if lock_keys == 1 then redis.call('SET', locks .. id, worker .. '#' .. task[FENCE], 'PX', lease_ms) end
      if progress >= 0 and progress ~= task[PROGRESS] then
        task[PROGRESS] = progress
        save_task(task)
      end
      note_renewal(id, { run = fence, worker_id = worker })
    else
      word = 'reaped'
    end
  elseif task[STATE] == CANCELLED and task[FENCE] == fence and task[WORKER] == worker then
    word = 'cancelled'
  end
  answer[#answer + 1] = word
end
write_unit()
return answer
