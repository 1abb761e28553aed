-- reserve: gives a user the next turns of one priority (DESIGN P4, fair order).
-- GUARANTEE: turns of one user and priority rise and are given once; the first is not before `virtual_time`, so that who
--   comes back after a pause has saved nothing up. Source: start-time fair queuing, start tag = max(virtual time, the
--   flow's last finish tag). A reply that is lost costs the user those turns and nothing else.
-- KEYS: base turn turns
-- ARGV: priority count virtual_time turn_ms
-- REPLY: reserved <first turn>
local last = tonumber(redis.call('GET', turn)) or 0
local first = math.max(virtual_time, last)
redis.call('SET', turn, string.format('%.0f', first + count), 'PX', turn_ms)
local highest = tonumber(redis.call('HGET', turns, priority)) or 0
if first + count > highest then redis.call('HSET', turns, priority, string.format('%.0f', first + count)) end
return { 'reserved', string.format('%.0f', first) }
