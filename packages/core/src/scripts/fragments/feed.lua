-- One event a script: the verb and the ids it moved.
local moved = {}

local function publish_feed(event)
  if #moved > 0 then redis.call('PUBLISH', base .. 'feed', event .. ' ' .. table.concat(moved, ' ')) end
end
