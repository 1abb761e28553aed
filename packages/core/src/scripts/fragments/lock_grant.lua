-- How a lock is granted. Fences never repeat: each is above the last, and not below the clock's microseconds, which holds also where
-- the last one was lost with a failover or has expired.
-- In milliseconds; as text, since numbers are written out for each command, and slowly.
local FENCE_MS = '86400000'

-- To a new holder; only called where nobody holds it.
local function grant()
  local time = redis.call('TIME')
  local given = time[1] .. string.format('%06d', time[2])
  local last = redis.call('SET', fence, given, 'PX', FENCE_MS, 'GET')
  -- Of one length they compare as text.
  if last and (#last ~= #given or last >= given) and tonumber(last) >= tonumber(given) then
    given = string.format('%.0f', tonumber(last) + 1)
    redis.call('SET', fence, given, 'PX', FENCE_MS)
  end
  redis.call('SET', lock, given .. ' ' .. holder .. ' ' .. id, 'NX', 'PX', ttl_ms)
  return { 'granted', given, '1' }
end

-- To its holder once more, or the same again after a lost reply. The TTL is never shortened.
local function grant_again(held_fence, ids)
  if not string.find(' ' .. ids .. ' ', ' ' .. id .. ' ', 1, true) then ids = ids .. ' ' .. id end
  redis.call('SET', lock, held_fence .. ' ' .. holder .. ' ' .. ids, 'PX', math.max(ttl_ms, redis.call('PTTL', lock)))
  local _, gaps = string.gsub(ids, ' ', '')
  return { 'granted', held_fence, tostring(gaps + 1) }
end
