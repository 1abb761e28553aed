-- acquire: takes a lock of the locks library, or a place in its line.
-- GUARANTEE: one holder at a time, always with a TTL; each grant to another holder has a fence above all before it, also where the
--   last fence was lost with a failover, since a fence is never below the clock's microseconds. Where the first in line asked for
--   its turn (fair), or the caller does, nobody overtakes it. Asked again after a lost reply it answers the same.
-- KEYS: lock fence line waiters
-- ARGV: id holder ttl_ms manner join ticket alive_ms fence_ms wake_prefix
-- REPLY: granted <fence> <times held> | held <ms left, 0: free but another's turn> <ticket, µs>
-- INCLUDE: lock_line
local time = redis.call('TIME')
local micros = time[1] .. string.format('%06d', time[2])

local function stay_in_line(left)
  if ticket == '' then ticket = micros end
  if join == 1 then
    redis.call('ZADD', line, 'NX', ticket, id)
    redis.call('HSET', waiters, id, string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + alive_ms) .. ' ' .. manner .. ' ' .. holder)
    redis.call('PEXPIRE', line, alive_ms)
    redis.call('PEXPIRE', waiters, alive_ms)
  end
  return { 'held', tostring(left), ticket }
end

local value = redis.call('GET', lock)
if value then
  local held_fence, owner, ids = string.match(value, '^(%d+) (%S+) (.+)$')
  if owner ~= holder then return stay_in_line(redis.call('PTTL', lock)) end
  if not names(ids, id) then ids = ids .. ' ' .. id end
  redis.call('SET', lock, held_fence .. ' ' .. owner .. ' ' .. ids, 'PX', math.max(ttl_ms, redis.call('PTTL', lock)))
  if join == 1 then
    redis.call('ZREM', line, id)
    redis.call('HDEL', waiters, id)
  end
  local _, gaps = string.gsub(ids, ' ', '')
  return { 'granted', held_fence, tostring(gaps + 1) }
end

local first, first_is_fair = first_in_line()
if first and first ~= id and (first_is_fair or manner == 'f') then
  wake(first)
  return stay_in_line(0)
end
if first then
  redis.call('ZREM', line, id)
  redis.call('HDEL', waiters, id)
end
local given = micros
local last = redis.call('SET', fence, micros, 'PX', fence_ms, 'GET')
if last and tonumber(last) >= tonumber(micros) then
  given = string.format('%.0f', tonumber(last) + 1)
  redis.call('SET', fence, given, 'PX', fence_ms)
end
redis.call('SET', lock, given .. ' ' .. holder .. ' ' .. id, 'NX', 'PX', ttl_ms)
return { 'granted', given, '1' }
