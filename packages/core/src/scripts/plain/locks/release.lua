-- The common case: its only acquisition gives it back, and nobody who waits has marked it (fragments/lock_mark.lua).
if waiting == '0' and redis.call('GET', lock) == alone then
  redis.call('DEL', lock)
  return 'released'
end
