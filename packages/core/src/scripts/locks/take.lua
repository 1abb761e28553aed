-- take: takes a lock of the locks library if it is free, without a look at its line.
-- GUARANTEE: one holder at a time, always with a TTL and a fence above all before it. Asked again after a lost reply it answers the same.
-- KEYS: lock fence
-- ARGV: owner ttl_ms
--   owner: `<holder> <acquisition id>`
-- REPLY: <fence>, to a new holder | again <fence> <times held> | held
-- PLAIN: lock_grant
-- INCLUDE: lock_grant_again
local held_fence, mark, held_by, ids = string.match(value, '^(%d+)(%+?) (%S+) (.+)$')
local holder, id = string.match(owner, '^(%S+) (.+)$')
if held_by ~= holder then return { 'held' } end
return grant_again({ fence = held_fence, mark = mark, holder = holder, ids = ids }, id)
