-- One event a script: the verb and the ids it moved.
local moved = {}

-- Ends every verb that writes: the unit of work, the counts, the wake-up where the head of the line has improved, the event.
-- moved_text: the ids with spaces between, where the verb has put them together already.
local function finish(event, moved_text)
  local head = nil
  if best_added then head = redis.call('ZRANGE', pending, 0, 0, 'WITHSCORES')[2] end
  write_unit()
  write_totals()
  if best_added and (not head or best_added < tonumber(head)) then redis.call('PUBLISH', base .. 'wake', best_added) end
  if #moved > 0 then redis.call('PUBLISH', base .. 'feed', event .. ' ' .. (moved_text or table.concat(moved, ' '))) end
end
