-- inspect: who holds a lock of the locks library, and who waits for it.
-- GUARANTEE: writes nothing; reads at most the limit of waiters. Waiters that died are left out.
-- KEYS: lock line waiters
-- ARGV: limit
-- REPLY: held <holder> <times held> <fence> <ms left> <waiters in line> { <holder> <since, ms> <f | b> }…
--   | free - 0 0 0 <waiters in line> { <holder> <since, ms> <f | b> }…
-- FLAGS: no-writes
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local answer = { 'free', '-', '0', '0', '0' }
local value = redis.call('GET', lock)
if value then
  local held_fence, owner, ids = string.match(value, '^(%d+)%+? (%S+) (.+)$')
  local _, gaps = string.gsub(ids, ' ', '')
  answer = { 'held', owner, tostring(gaps + 1), held_fence, tostring(redis.call('PTTL', lock)) }
end
answer[6] = tostring(redis.call('ZCARD', line))
local places = redis.call('ZRANGE', line, 0, limit - 1, 'WITHSCORES')
for at = 1, #places, 2 do
  local alive_until, manner, holder = string.match(redis.call('HGET', waiters, places[at]) or '', '^(%d+) (%a) (.+)$')
  if alive_until and tonumber(alive_until) > now then
    answer[#answer + 1] = holder
    answer[#answer + 1] = string.format('%.0f', math.floor(tonumber(places[at + 1]) / 1000))
    answer[#answer + 1] = manner
  end
end
return answer
