-- Grants a lock to its holder once more, or the same again after a lost reply. The TTL is never shortened.
local function grant_again(held, id)
  local ids = held.ids
  if not string.find(' ' .. ids .. ' ', ' ' .. id .. ' ', 1, true) then ids = ids .. ' ' .. id end
  local left_ms = redis.call('PTTL', lock)
  local value = held.fence .. held.mark .. ' ' .. held.holder .. ' ' .. ids
  redis.call('SET', lock, value, 'PX', math.max(tonumber(ttl_ms), left_ms))
  local _, gaps = string.gsub(ids, ' ', '')
  return { 'again', held.fence, tostring(gaps + 1) }
end
