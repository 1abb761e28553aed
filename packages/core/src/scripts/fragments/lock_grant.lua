-- Grants a lock to a new holder and returns the fence; only called where nobody holds it. `mark`: lock_mark.lua. Fences never repeat:
-- each is above the last, and not below the clock's microseconds, which holds also where the last one was lost with a failover or has
-- expired (after a day; as text, since numbers are written out for each command, and slowly).
local function grant(mark, owner)
  local call = redis.call
  local time = call('TIME')
  local given = time[1] .. string.sub('00000' .. time[2], -6)
  local last = call('SET', fence, given, 'PX', '86400000', 'GET')
  -- Of one length they compare as text.
  if last and (#last ~= #given or last >= given) and tonumber(last) >= tonumber(given) then
    given = string.format('%.0f', tonumber(last) + 1)
    call('SET', fence, given, 'PX', '86400000')
  end
  call('SET', lock, given .. mark .. ' ' .. owner, 'PX', ttl_ms)
  return given
end
