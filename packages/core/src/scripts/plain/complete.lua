-- Completions of plain tasks by their holder (fragments/plain.lua).

-- Rows mostly share what they say of their runs, so each text is read once.
local known_runs = {}
local function read_run(text)
  local run = known_runs[text]
  if not run then
    local fence, result_ms, counters = string.match(text, '^(%d+),(%d+),(.*)$')
    run = {
      fence = tonumber(fence), fence_bytes = struct.pack('>I4', tonumber(fence)), counters = counters,
      result_ends = string.format('%.0f', now + tonumber(result_ms)), rows = 0,
    }
    known_runs[text] = run
  end
  run.rows = run.rows + 1
  return run
end

local ids, runs, seen, all_plain = {}, {}, {}, timeline_ms == 0
for at = ROWS_FROM, #ARGV, ROW_WIDTH do
  local id = ARGV[at + row_id]
  if seen[id] or is_child(id) then all_plain = false end
  seen[id] = true
  ids[#ids + 1] = id
  runs[#runs + 1] = read_run(ARGV[at + row_run])
end

local stretches, records, times = {}, {}, {}
if all_plain then
  stretches = stretches_of(ids)
  local packed = read_fields('tasks:', ids, stretches)
  local heads, tail = {}, struct.pack('>H', 10000) .. worker
  for index = 1, #ids do
    local bytes = packed[index] or ''
    local version, state, flags = string.byte(bytes, 1, 3)
    local mine = version == RECORD_VERSION and state == PROCESSING and flags < PLAIN_FLAGS_END and flags % 2 == 1
      and string.sub(bytes, RECORD_BYTES + 1) == worker and string.sub(bytes, 14, 17) == runs[index].fence_bytes
    -- Without a result its identity must be freed.
    if not mine or (flags >= HAS_IDENTITY and ARGV[ROWS_FROM + (index - 1) * ROW_WIDTH + row_result] == '') then
      all_plain = false
      break
    end
    if not heads[flags] then heads[flags] = string.char(RECORD_VERSION, COMPLETED, bit.band(flags, bit.bnot(RUN_OPEN))) end
    local started = string.sub(bytes, 37, 48)
    times[started] = (times[started] or 0) + 1
    records[index] = heads[flags] .. string.sub(bytes, 4, 30) .. now_bytes .. started .. tail
  end
end

if all_plain then
  local ended, lock_names = {}, {}
  for at = 1, #stretches, 3 do
    local fields, filled = { base .. 'tasks:' .. stretches[at] }, 1
    for index = stretches[at + 1], stretches[at + 2] do
      local id, result = ids[index], ARGV[ROWS_FROM + (index - 1) * ROW_WIDTH + row_result]
      fields[filled + 1], fields[filled + 2] = id, records[index]
      filled = filled + 2
      ended[2 * index - 1], ended[2 * index] = now_text, id
      if lock_keys == 1 then lock_names[index] = locks .. id end
      if result ~= '' then redis.call('SET', base .. 'result:' .. id, result, 'PXAT', runs[index].result_ends) end
    end
    redis.call('HSET', unpack(fields))
  end
  redis.call('ZREM', processing, unpack(ids))
  redis.call('ZADD', finished, unpack(ended))
  if lock_keys == 1 then redis.call('DEL', unpack(lock_names)) end

  count('completed', #ids)
  count_durations('run:', times)
  for _, run in pairs(known_runs) do
    for field, amount in string.gmatch(run.counters, '([^=,]+)=(%d+)') do count('counter:' .. field, tonumber(amount) * run.rows) end
  end
  redis.call('EXPIRE', minute, '90000')
  redis.call('HINCRBY', counts, 'processing', -#ids)
  redis.call('HINCRBY', counts, 'completed', #ids)
  redis.call('PUBLISH', base .. 'feed', 'completed ' .. table.concat(ids, ' '))
  return { 'completed', now_text }
end
