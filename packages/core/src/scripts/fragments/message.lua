-- A task's unchanging part: one line of JSON (the header), then the payload. Read only where flags say it matters.
local function load_header(task)
  local message = redis.call('HGET', base .. 'messages:' .. task[BUCKET], message_field(task[ID]))
  if not message then return {} end
  local line_end = string.find(message, '\n', 1, true)
  return cjson.decode(line_end and string.sub(message, 1, line_end - 1) or message)
end
