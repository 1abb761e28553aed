-- The line of a lock. An acquisition id is `<process>.<number>`; a waiter that stopped saying that it lives is passed over.
local MOST_DEAD = 100

-- The first in line that lives, and whether it asked for its turn to be kept (fair). Drops the dead before it.
local function first_in_line()
  local time
  for _ = 1, MOST_DEAD do
    local first = redis.call('ZRANGE', line, 0, 0)[1]
    if not first then return nil end
    time = time or redis.call('TIME')
    local alive_until, manner = string.match(redis.call('HGET', waiters, first) or '', '^(%d+) (%a)')
    if alive_until and tonumber(alive_until) > time[1] * 1000 + time[2] / 1000 then return first, manner == 'f' end
    redis.call('ZREM', line, first)
    redis.call('HDEL', waiters, first)
  end
  return nil
end

local function wake(acquisition)
  redis.call('PUBLISH', wake_prefix .. string.match(acquisition, '^[^.]*'), acquisition)
end

-- Whether a list of ids parted by spaces names this one, whole.
local function names(ids, id)
  return ids == id or string.find(' ' .. ids .. ' ', ' ' .. id .. ' ', 1, true) ~= nil
end
