-- renew: keeps a lock of the locks library alive.
-- GUARANTEE: extends the TTL only for an acquisition that holds, and never shortens it; "expired" (nobody holds it) and "taken"
--   (another holder does) are different answers.
-- KEYS: lock
-- ARGV: id ttl_ms
-- REPLY: renewed | expired | taken
-- FLAGS: allow-oom
local value = redis.call('GET', lock)
if not value then return { 'expired' } end
local ids = string.match(value, '^%d+ %S+ (.+)$')
if not string.find(' ' .. ids .. ' ', ' ' .. id .. ' ', 1, true) then return { 'taken' } end
redis.call('PEXPIRE', lock, ttl_ms, 'GT')
return { 'renewed' }
