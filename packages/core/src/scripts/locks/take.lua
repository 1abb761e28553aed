-- take: takes a lock of the locks library if it is free, without a look at its line.
-- GUARANTEE: one holder at a time, always with a TTL and a fence above all before it. Asked again after a lost reply it answers the same.
-- KEYS: lock fence
-- ARGV: id holder ttl_ms
-- REPLY: granted <fence> <times held> | held
-- INCLUDE: lock_grant
local value = redis.call('GET', lock)
if not value then return grant() end
local held_fence, owner, ids = string.match(value, '^(%d+) (%S+) (.+)$')
if owner == holder then return grant_again(held_fence, ids) end
return { 'held' }
