-- release: gives a lock of the locks library back, or leaves its line, and wakes who comes next.
-- GUARANTEE: frees only for the acquisition that holds, and only with its holder's last one; leaves nothing of the acquisition
--   behind, in line or in the lock; whenever the lock is free afterwards, the first in line that lives is woken.
-- KEYS: lock line waiters
-- ARGV: id waiting wake_prefix
-- REPLY: released | kept | expired | taken
-- FLAGS: allow-oom
-- INCLUDE: lock_line
if waiting == 1 then
  redis.call('ZREM', line, id)
  redis.call('HDEL', waiters, id)
end
local word = 'expired'
local value = redis.call('GET', lock)
if value then
  local head, ids = string.match(value, '^(%d+ %S+) (.+)$')
  if ids == id then
    redis.call('DEL', lock)
    word = 'released'
  elseif names(ids, id) then
    local left = {}
    for other in string.gmatch(ids, '%S+') do
      if other ~= id then left[#left + 1] = other end
    end
    redis.call('SET', lock, head .. ' ' .. table.concat(left, ' '), 'KEEPTTL')
    return { 'kept' }
  else
    return { 'taken' }
  end
end
local first = first_in_line()
if first then wake(first) end
return { word }
