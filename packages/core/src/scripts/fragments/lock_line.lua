-- The line of a lock. An acquisition id is `<process>.<number>`; a waiter that stopped saying that it lives is passed over.
local MOST_DEAD = 100

-- The first in line that lives; `first` is who stands there. Drops the dead before it.
local function first_alive(first)
  local time = redis.call('TIME')
  for _ = 1, MOST_DEAD do
    if not first then return nil end
    local alive_until = tonumber(string.match(redis.call('HGET', waiters, first) or '', '^%d+'))
    if alive_until and alive_until > time[1] * 1000 + time[2] / 1000 then return first end
    redis.call('ZREM', line, first)
    redis.call('HDEL', waiters, first)
    first = redis.call('ZRANGE', line, '0', '0')[1]
  end
  return nil
end

local function wake(acquisition)
  redis.call('PUBLISH', wake_prefix .. string.match(acquisition, '^[^.]*'), acquisition)
end
