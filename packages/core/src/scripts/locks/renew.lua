-- renew: sets how long a lock of the locks library lives from now.
-- GUARANTEE: only for an acquisition that holds; shortens only where it is its holder's only one, since the others were granted for
--   longer; "expired" (nobody holds it) and "taken" (another holder does) are different answers.
-- KEYS: lock
-- ARGV: id ttl_ms
-- REPLY: renewed | expired | taken
-- FLAGS: allow-oom
local value = redis.call('GET', lock)
if not value then return { 'expired' } end
local ids = string.match(value, '^%d+%+? %S+ (.+)$')
if ids == id then
  redis.call('PEXPIRE', lock, ttl_ms)
  return { 'renewed' }
end
if not string.find(' ' .. ids .. ' ', ' ' .. id .. ' ', 1, true) then return { 'taken' } end
redis.call('PEXPIRE', lock, ttl_ms, 'GT')
return { 'renewed' }
