-- A task's timeline, where the queue keeps one: at most 100 entries, gone with the task's retention.
local function note(id, event, fields)
  if timeline_ms == 0 then return end
  fields = fields or {}
  fields.at = now
  fields.event = event
  local list = base .. 'events:' .. id
  redis.call('RPUSH', list, cjson.encode(fields))
  redis.call('LTRIM', list, -100, -1)
  redis.call('PEXPIRE', list, timeline_ms)
end
