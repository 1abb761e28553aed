-- A claim that finds only plain tasks (fragments/plain.lua).
local kept = replayed_answer()
local popped, ids, stretches, packed = {}, {}, {}, {}
if not kept then
  if redis.call('EXISTS', base .. 'paused') == 1 then return { 'paused' } end
  local available = bound == '' and limit or redis.call('ZCOUNT', pending, '-inf', bound)
  if available > 0 and limit > 0 then popped = redis.call('ZPOPMIN', pending, math.min(limit, available)) end
  for index = 1, #popped / 2 do ids[index] = popped[2 * index - 1] end
  if #ids == 0 then return { 'claimed', now_text, '', '' } end
  stretches = stretches_of(ids)
  packed = read_fields('tasks:', ids, stretches)
end

local all_plain, all_flags = not kept and timeline_ms == 0, {}
for index = 1, all_plain and #ids or 0 do
  local bytes = packed[index] or ''
  local version, state, flags = string.byte(bytes, 1, 3)
  if version ~= RECORD_VERSION or #bytes < RECORD_BYTES or state ~= PENDING or flags >= PLAIN_FLAGS_END or is_child(ids[index]) then
    all_plain = false
    break
  end
  all_flags[index] = flags
end

if all_plain then
  local records, leases = {}, {}
  local expiry = string.format('%.0f', now + lease_ms)
  local twice_now = now_bytes .. now_bytes
  -- By the bytes of what most tasks of a claim share: heads by flags, fences, places (priority and score) and waiting times.
  local heads, next_fences, holders, places, times = {}, {}, {}, {}, {}
  for index = 1, #ids do
    local id, bytes, flags = ids[index], packed[index], all_flags[index]
    local place, fence, since = string.sub(bytes, 4, 13), string.sub(bytes, 14, 17), string.sub(bytes, 31, 36)
    if not heads[flags] then heads[flags] = string.char(RECORD_VERSION, PROCESSING, bit.bor(flags, RUN_OPEN)) end
    if not holders[fence] then
      local number = struct.unpack('>I4', fence) + 1
      next_fences[fence], holders[fence] = struct.pack('>I4', number), worker .. '#' .. number
    end
    places[place] = (places[place] or 0) + 1
    times[since] = (times[since] or 0) + 1
    if lock_keys == 1 then redis.call('SET', locks .. id, holders[fence], 'PXAT', expiry) end
    records[index] = heads[flags] .. place .. next_fences[fence] .. string.sub(bytes, 18, 30) .. twice_now
      .. string.sub(bytes, 43, 50) .. worker
    leases[2 * index - 1], leases[2 * index] = expiry, id
  end
  for at = 1, #stretches, 3 do
    local fields, filled = { base .. 'tasks:' .. stretches[at] }, 1
    for index = stretches[at + 1], stretches[at + 2] do
      fields[filled + 1], fields[filled + 2] = ids[index], records[index]
      filled = filled + 2
    end
    redis.call('HSET', unpack(fields))
  end
  redis.call('ZADD', processing, unpack(leases))

  count_durations('wait:', times)
  redis.call('EXPIRE', minute, '90000')
  redis.call('HINCRBY', counts, 'pending', -#ids)
  redis.call('HINCRBY', counts, 'processing', #ids)
  local bands = {}
  for place, amount in pairs(places) do
    local band = band_of(struct.unpack('>H', place))
    bands[band] = (bands[band] or 0) + amount
  end
  for band, amount in pairs(bands) do redis.call('HINCRBY', counts, 'band:' .. band, -amount) end

  local ids_text = table.concat(ids, ' ')
  redis.call('PUBLISH', base .. 'feed', 'claimed ' .. ids_text)
  keep_answer({ now_text, ids_text })
  local answer = { 'claimed', now_text, ids_text, table.concat(records) }
  local messages = read_messages(ids, stretches)
  for index = 1, #ids do answer[index + 4] = messages[index] or '' end
  return answer
end
