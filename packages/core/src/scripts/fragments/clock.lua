-- The one clock: Redis's own, read once, because key expiry is frozen at a script's start while TIME moves on.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- Numbers handed to commands are written out each time, and slowly.
local now_text = string.format('%.0f', now)
