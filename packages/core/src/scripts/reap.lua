-- reap: puts tasks back in line whose lease has run out.
-- GUARANTEE: at most `limit` tasks a call. The run stays open: its holder's late result is accepted until somebody else
--   claims the task (DESIGN P2). With `count_crashes` 0 (the gap was ours, not the worker's) nothing is counted.
--   A call that was held up (Redis was frozen with it in its socket) does nothing past `not_after`, 0 for no such time:
--   holders were frozen too and get to renew first.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at limit count_crashes not_after timeline_ms
-- REPLY: reaped <how many> { id, fence, worker, pending | dead_letter }… | late
-- EVENT: reaped <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock layout buckets record unit histogram bands totals timeline line message gate lease feed identity errors fan_in bury
if not_after > 0 and now > not_after then return { 'late' } end
local answer = { 'reaped', '0' }
local ids = redis.call('ZRANGEBYSCORE', processing, '-inf', now, 'LIMIT', 0, limit)
load_tasks(ids)
for _, id in ipairs(ids) do
  -- At the boundary millisecond the lock key outlives the entry; the next claim must not meet it.
  local task = load_task(id)
  if not task or task[STATE] ~= PROCESSING then
    remove_from(processing, id)
    drop_lock(id)
    add('repaired:lease_without_run')
  else
    drop_lease(task)
    if count_crashes == 1 then
      task[CRASHES] = task[CRASHES] + 1
      add_of(id, 'crashed')
      add_error(task, 0, cjson.encode({ code = 'crash', message = 'the lease of ' .. task[WORKER] .. ' ran out' }))
    end
    note(id, 'reaped', { run = task[FENCE], worker_id = task[WORKER], detail = tostring(task[CRASHES]) })
    if task[CRASHES] >= task[CRASH_BUDGET] then
      add_error(task, 0, cjson.encode({ code = 'crash_loop', message = 'the worker died on this task ' .. task[CRASHES] .. ' times' }))
      bury(task, 'crash_loop')
    else
      count_move(task, PROCESSING, PENDING)
      put_in_line(task, now)
    end
    moved[#moved + 1] = id
    for _, value in ipairs({ id, tostring(task[FENCE]), task[WORKER], STATE_NAMES[task[STATE]] }) do answer[#answer + 1] = value end
  end
end
answer[2] = tostring(#moved)
finish('reaped')
return answer
