-- trim: forgets what has outlived its retention.
-- GUARANTEE: removes at most `limit` tasks a call, oldest first, children counted.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at limit finished_before dead_before finished_most timeline_ms
-- REPLY: trimmed <how many>
-- FLAGS: allow-oom
-- INCLUDE: clock layout buckets record unit histogram bands totals timeline line message gate lease feed identity errors fan_in forget
local removed = 0
local function trim(index, ids)
  for _, id in ipairs(ids) do
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

local function oldest(index, before)
  return redis.call('ZRANGEBYSCORE', index, '-inf', before, 'LIMIT', 0, limit)
end

local old = oldest(finished, now - finished_before)
trim(finished, old)
-- Past the most that is kept, the oldest of the rest go before their time.
local surplus = finished_most > 0 and redis.call('ZCARD', finished) - finished_most - #old or 0
if surplus > 0 then trim(finished, redis.call('ZRANGE', finished, #old, #old + math.min(surplus, limit) - 1)) end
trim(dead, oldest(dead, now - dead_before))
if removed > 0 then add('trimmed', removed) end
finish('trimmed')
return { 'trimmed', tostring(removed) }
