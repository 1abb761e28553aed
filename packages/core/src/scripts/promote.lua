-- promote: puts scheduled and retrying tasks in line whose time has come.
-- GUARANTEE: at most `limit` tasks a call; each at its own score.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at limit timeline_ms
-- REPLY: promoted <how many> <next due time or ->
-- EVENT: promoted <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock layout buckets record unit histogram bands totals timeline line message gate feed
local ids = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, limit)
load_tasks(ids)
for _, id in ipairs(ids) do
  remove_from(due, id)
  local task = load_task(id)
  if not task or (task[STATE] ~= SCHEDULED and task[STATE] ~= RETRYING) then
    add('repaired:due_without_record')
  else
    count_move(task, task[STATE], PENDING)
    put_in_line(task, task[SINCE])
    note(id, 'promoted')
    moved[#moved + 1] = id
  end
end

-- Keys whose tasks were held back by a rate and may start again. What the gate still refuses is parked again at its claim.
for _, key in ipairs(redis.call('ZRANGEBYSCORE', throttled, '-inf', now, 'LIMIT', 0, 10)) do
  redis.call('ZREM', throttled, key)
  local best = redis.call('ZRANGE', parked_key(key), 0, 0)[1]
  local task = best and load_task(best)
  if task then
    local gate = gate_of(task)
    local free, free_at = free_starts(gate, limit)
    for _ = 1, free do
      if not unpark_one(key) then break end
    end
    -- Where all starts are free, those in line take them first.
    free_at = free_at or now + math.max(50, math.floor((gate.rate_ms or 1000) / (gate.rate or 1)))
    if redis.call('EXISTS', parked_key(key)) == 1 then redis.call('ZADD', throttled, free_at, key) end
  end
end
finish('promoted')
local next_due = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')
return { 'promoted', tostring(#moved), next_due[2] or '-' }
