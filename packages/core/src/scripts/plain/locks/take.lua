-- The common case: nobody holds it.
local value = redis.call('GET', lock)
if not value then return grant('', owner) end
