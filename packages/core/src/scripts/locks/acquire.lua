-- acquire: takes a lock of the locks library, or a place in its line.
-- GUARANTEE: one holder at a time, always with a TTL and a fence above all before it. A caller that asked for its turn (fair) overtakes
--   nobody who waits. Asked again after a lost reply it answers the same.
-- KEYS: lock fence line waiters
-- ARGV: id holder ttl_ms manner join ticket alive_ms wake_prefix
-- REPLY: <fence>, to a new holder | again <fence> <times held> | held <ms left, 0: free but another's turn> <ticket, µs>
-- INCLUDE: lock_line lock_mark lock_grant lock_grant_again
local function leave_line()
  redis.call('ZREM', line, id)
  redis.call('HDEL', waiters, id)
end

local function stay_in_line(left)
  local time = redis.call('TIME')
  if ticket == '' then ticket = time[1] .. string.format('%06d', time[2]) end
  if join == 1 then
    local alive_until = time[1] * 1000 + math.floor(time[2] / 1000) + alive_ms
    redis.call('ZADD', line, 'NX', ticket, id)
    redis.call('HSET', waiters, id, string.format('%.0f', alive_until) .. ' ' .. manner .. ' ' .. holder)
    redis.call('PEXPIRE', line, alive_ms)
    redis.call('PEXPIRE', waiters, alive_ms)
  end
  return { 'held', tostring(left), ticket }
end

local value = redis.call('GET', lock)
if value then
  local held_fence, mark, owner, ids = string.match(value, '^(%d+)(%+?) (%S+) (.+)$')
  if owner ~= holder then
    if join == 1 then mark_line(value) end
    return stay_in_line(redis.call('PTTL', lock))
  end
  if join == 1 then leave_line() end
  return grant_again({ fence = held_fence, mark = mark, holder = holder, ids = ids }, id)
end
if manner == 'f' then
  local first = first_alive(redis.call('ZRANGE', line, '0', '0')[1])
  if first and first ~= id then
    -- Its wake-up may have been lost.
    wake(first)
    return stay_in_line(0)
  end
end
if join == 1 then leave_line() end
return grant(redis.call('EXISTS', line) == 1 and '+' or '', holder .. ' ' .. id)
