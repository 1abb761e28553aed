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

-- A long run's renewals would push out how it began, so past some entries only the latest of a row of them is kept.
local RENEWALS_FROM = 50
local function note_renewal(id, fields)
  if timeline_ms == 0 then return end
  local list = base .. 'events:' .. id
  local last = redis.call('LLEN', list) >= RENEWALS_FROM and redis.call('LINDEX', list, -1)
  if not last or not string.find(last, '"event":"renewed"', 1, true) then return note(id, 'renewed', fields) end
  fields.at = now
  fields.event = 'renewed'
  redis.call('LSET', list, -1, cjson.encode(fields))
  redis.call('PEXPIRE', list, timeline_ms)
end
