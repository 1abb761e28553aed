-- trim: forgets what has outlived its retention.
-- GUARANTEE: removes at most `limit` tasks a call, oldest first, children counted.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at limit finished_before dead_before finished_most timeline_ms
-- REPLY: trimmed <how many>
-- FLAGS: allow-oom
-- INCLUDE: clock layout buckets record unit histogram bands totals timeline line message gate lease feed identity errors fan_in forget
local removed = 0
local function trim(index, before)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', index, '-inf', before, 'LIMIT', 0, limit)) do
    if removed >= limit then return end
    local task = load_task(id)
    if task then
      local count = forget(task, limit - removed)
      removed = removed + count
    else
      remove_from(index, id)
      add('repaired:index_without_record')
      removed = removed + 1
    end
  end
end
trim(finished, now - finished_before)
-- Past the most that is kept, the oldest go before their time.
local surplus = finished_most > 0 and redis.call('ZCARD', finished) - removed - finished_most or 0
if surplus > 0 then
  local last = redis.call('ZRANGE', finished, removed + surplus - 1, removed + surplus - 1, 'WITHSCORES')[2]
  if last then trim(finished, last) end
end
trim(dead, now - dead_before)
if removed > 0 then add('trimmed', removed) end
finish('trimmed')
return { 'trimmed', tostring(removed) }
