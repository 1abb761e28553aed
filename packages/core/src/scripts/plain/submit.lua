-- Submits where every task is plain (fragments/plain.lua), goes in line at once, and nobody has its identity.
local kept = replayed_answer()
if kept then return kept end

local row_count = (#ARGV - ROWS_FROM + 1) / ROW_WIDTH
-- How many new tasks the shard still takes; a duplicate adds nothing.
local room = row_count
if depth_limit >= 0 then
  local waiting = redis.call('HMGET', counts, 'pending', 'scheduled', 'retrying')
  local depth = (tonumber(waiting[1]) or 0) + (tonumber(waiting[2]) or 0) + (tonumber(waiting[3]) or 0)
  room = math.max(0, depth_limit - depth)
  if room == 0 then
    local identities = false
    for at = ROWS_FROM, #ARGV, ROW_WIDTH do identities = identities or ARGV[at + row_identity] ~= '' end
    if not identities then return { 'queue_full' } end
  end
end

-- Tags as `kind:bytes of the value:value` one after the other → the names of their indexes.
local function read_tags(text)
  local names, at = {}, 1
  while at <= #text do
    local _, stop, kind, length = string.find(text, '^([a-z_]+):(%d+):', at)
    at = stop + tonumber(length) + 1
    names[#names + 1] = base .. 'tag:' .. kind .. ':' .. string.sub(text, stop + 1, at - 1)
  end
  return names
end

-- Rows mostly share their options, so each text is read once; `records` is for the records that they share.
local known_options = {}
local function read_options(text)
  local options = known_options[text]
  if not options then
    local priority, delay, max_retries, crash_budget, gated, turnless, tags =
      string.match(text, '^(%d+),(%d+),(%d+),(%d+),(g?)(t?),(.*)$')
    options = {
      priority = tonumber(priority), delay = tonumber(delay), max_retries = tonumber(max_retries),
      crash_budget = tonumber(crash_budget), gated = gated == 'g', turnless = turnless == 't', tags = read_tags(tags),
      records = { {}, {} }, rows = 0,
    }
    options.plain = options.delay == 0 and not options.gated and not options.turnless
    known_options[text] = options
  end
  return options
end

-- Twelve base-36 digits; the upper ten change once in 1,296 tasks.
local DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
local upper, upper_text = nil, nil
local function id_of(sequence, suffix)
  local block = math.floor(sequence / 1296)
  if block ~= upper then
    upper, upper_text = block, ''
    local rest = block
    while rest > 0 do
      local digit = rest % 36
      upper_text = string.sub(DIGITS, digit + 1, digit + 1) .. upper_text
      rest = (rest - digit) / 36
    end
    upper_text = id_head .. string.rep('0', 10 - #upper_text) .. upper_text
  end
  local low = sequence % 1296
  local first, second = math.floor(low / 36) + 1, low % 36 + 1
  return upper_text .. string.sub(DIGITS, first, first) .. string.sub(DIGITS, second, second) .. '-' .. suffix
end

local all_plain, seen = timeline_ms == 0 and room >= row_count, {}
for at = ROWS_FROM, #ARGV, ROW_WIDTH do
  local options, identity = read_options(ARGV[at + row_options]), ARGV[at + row_identity]
  if not options.plain then all_plain = false end
  if identity ~= '' and all_plain then
    all_plain = not seen[identity] and not redis.call('HGET', base .. 'identity:' .. string.sub(identity, 1, 2), identity)
    seen[identity] = true
  end
  if not all_plain then break end
end

if all_plain then
  local sequence = redis.call('INCRBY', base .. 'sequence', row_count) - row_count
  local head = redis.call('ZRANGE', pending, '0', '0', 'WITHSCORES')[2]
  local ids, places, tags, score_texts, best = {}, {}, {}, {}, nil
  local tasks, messages, filled, bucket = {}, {}, 0, nil
  for index = 1, row_count do
    local at = ROWS_FROM + (index - 1) * ROW_WIDTH
    local options, score, identity = known_options[ARGV[at + row_options]], ARGV[at + row_score], ARGV[at + row_identity]
    local id, own = id_of(sequence, ARGV[at + row_suffix]), math.floor(sequence / 4096)
    if own ~= bucket then
      if bucket then
        redis.call('HSET', unpack(tasks))
        redis.call('HSET', unpack(messages))
      end
      tasks, messages, filled, bucket = { base .. 'tasks:' .. own }, { base .. 'messages:' .. own }, 1, own
    end
    sequence = sequence + 1
    options.rows = options.rows + 1
    local records = options.records[identity == '' and 1 or 2]
    local record = records[score]
    if not record then
      local number = tonumber(score) + clock_weight * now
      local flags = (identity == '' and 0 or HAS_IDENTITY) + (#options.tags > 0 and HAS_TAGS or 0)
      record = struct.pack(RECORD_LAYOUT, RECORD_VERSION, PENDING, flags, options.priority, number, 0, 0, 0, options.max_retries,
        options.crash_budget, now, now, 0, 0, 0)
      records[score], score_texts[score] = record, clock_weight == 0 and score or string.format('%.17g', number)
      if not best or number < best then best = number end
    end
    ids[index] = id
    places[2 * index - 1], places[2 * index] = score_texts[score], id
    tasks[filled + 1], tasks[filled + 2] = id, record
    messages[filled + 1], messages[filled + 2] = message_field(id), ARGV[at + row_message]
    filled = filled + 2
    if identity ~= '' then redis.call('HSET', base .. 'identity:' .. string.sub(identity, 1, 2), identity, id) end
    for place = 1, #options.tags do
      local list = tags[options.tags[place]] or { options.tags[place] }
      tags[options.tags[place]] = list
      list[#list + 1], list[#list + 2] = now_text, id
    end
  end
  redis.call('HSET', unpack(tasks))
  redis.call('HSET', unpack(messages))
  for _, list in pairs(tags) do redis.call('ZADD', unpack(list)) end
  redis.call('ZADD', pending, unpack(places))

  count('submitted', row_count)
  redis.call('EXPIRE', minute, '90000')
  redis.call('HINCRBY', counts, 'pending', row_count)
  for _, options in pairs(known_options) do redis.call('HINCRBY', counts, 'band:' .. band_of(options.priority), options.rows) end
  if not head or best < tonumber(head) then redis.call('PUBLISH', base .. 'wake', best) end
  local answer = { 'submitted', now_text, table.concat(ids, ' ') }
  redis.call('PUBLISH', base .. 'feed', 'submitted ' .. answer[3])
  keep_answer(answer)
  return answer
end
