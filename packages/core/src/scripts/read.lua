-- read: tells tasks whole, and of their results as much as is asked for.
-- GUARANTEE: writes nothing; what it tells of one task is of one moment.
-- KEYS: base processing
-- ARGV: sequence_at result_bytes
-- ROWS: id
-- REPLY: read { record message errors lease_expiry result_expiry children result }…, a word for what there is, empty for what
--   there is not; children as `total completed failed`, the result's first `result_bytes` bytes (-1: all of it).
-- FLAGS: no-writes
-- INCLUDE: layout buckets
local reply = { 'read' }
for at = ROWS_FROM, #ARGV, ROW_WIDTH do
  local id = ARGV[at + row_id]
  local bucket = bucket_of(id)
  local record = redis.call('HGET', base .. 'tasks:' .. bucket, id)
  local told = #reply
  for index = 1, 7 do reply[told + index] = '' end
  if record then
    reply[told + 1] = record
    reply[told + 2] = redis.call('HGET', base .. 'messages:' .. bucket, message_field(id)) or ''
    reply[told + 3] = redis.call('HGET', base .. 'errors:' .. bucket, id) or ''
    reply[told + 4] = redis.call('ZSCORE', processing, id) or ''
    local key = base .. 'result:' .. id
    local expiry = redis.call('PEXPIRETIME', key)
    if expiry > 0 then
      reply[told + 5] = string.format('%.0f', expiry)
      if result_bytes ~= 0 then reply[told + 7] = redis.call('GETRANGE', key, 0, result_bytes < 0 and -1 or result_bytes - 1) end
    end
    if math.floor(string.byte(record, 3) / IS_PARENT) % 2 == 1 then
      local counts = redis.call('HMGET', base .. 'children:' .. id, 'total', 'completed', 'failed')
      reply[told + 6] = (counts[1] or '0') .. ' ' .. (counts[2] or '0') .. ' ' .. (counts[3] or '0')
    end
  end
end
return reply
