-- release: gives a lock of the locks library back, or leaves its line, and wakes who comes next.
-- GUARANTEE: frees only for the acquisition that holds, and only with its holder's last one; leaves nothing of the acquisition
--   behind, in line or in the lock; whenever the lock is free afterwards, the first in line that lives is woken.
-- KEYS: lock line waiters
-- ARGV: id alone waiting wake_prefix
-- REPLY: released | kept | expired | taken
-- FLAGS: allow-oom
-- PLAIN:
-- INCLUDE: lock_line lock_mark
if waiting == '1' then
  redis.call('ZREM', line, id)
  redis.call('HDEL', waiters, id)
end
local word = 'expired'
local value = redis.call('GET', lock)
if value then
  local head, ids = string.match(value, '^(%d+%+? %S+) (.+)$')
  local left = {}
  local found = false
  for other in string.gmatch(ids, '%S+') do
    if other == id then found = true else left[#left + 1] = other end
  end
  if not found then
    -- It may have been woken, and then there is nobody else in line who would have marked the lock of who was quicker.
    if waiting == '1' and redis.call('EXISTS', line) == 1 then mark_line(value) end
    return { 'taken' }
  end
  if #left > 0 then
    redis.call('SET', lock, head .. ' ' .. table.concat(left, ' '), 'KEEPTTL')
    return { 'kept' }
  end
  redis.call('DEL', lock)
  word = 'released'
end
local first = redis.call('ZRANGE', line, '0', '0')[1]
if first then
  first = first_alive(first)
  if first then wake(first) end
end
return { word }
