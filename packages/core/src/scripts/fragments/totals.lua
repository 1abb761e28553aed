-- Counters that never fall, the minute's history, and how many tasks are in each state. Written once, at the end.
local STATE_NAMES = { [0] = 'scheduled', 'pending', 'processing', 'retrying', 'waiting', 'completed', 'cancelled', 'dead_letter' }
local tally = {}
local codes = {}
local moves = { [0] = 0, 0, 0, 0, 0, 0, 0, 0 }
local child_moves = { [0] = 0, 0, 0, 0, 0, 0, 0, 0 }

local function add(field, amount)
  tally[field] = (tally[field] or 0) + (amount or 1)
end

-- What happened to a task; to children it is counted apart.
local function add_of(id, field)
  add(is_child(id) and ('child:' .. field) or field)
end

-- Dead letters by code.
local function count_code(code, amount)
  codes['dead:' .. code] = (codes['dead:' .. code] or 0) + amount
end

local bands = { urgent = 0, high = 0, normal = 0, bulk = 0 }
local function count_band(priority, amount)
  local band = band_of(priority)
  bands[band] = bands[band] + amount
end

-- from or to may be nil: the task comes into being, or is forgotten.
local function count_move(task, from, to)
  if from then moves[from] = moves[from] - 1 end
  if to then moves[to] = moves[to] + 1 end
  if from == PENDING then count_band(task[PRIORITY], -1) end
  if to == PENDING then count_band(task[PRIORITY], 1) end
  if is_child(task[ID]) then
    if from then child_moves[from] = child_moves[from] - 1 end
    if to then child_moves[to] = child_moves[to] + 1 end
  end
end

-- Durations are counted by bucket first and named once.
local durations = {}
local function add_duration(prefix, milliseconds)
  local own = durations[prefix]
  if not own then
    own = {}
    durations[prefix] = own
  end
  local bucket = bucket_of_duration(milliseconds)
  own[bucket] = (own[bucket] or 0) + 1
end

local function write_totals()
  for prefix, own in pairs(durations) do
    for bucket, amount in pairs(own) do tally[prefix .. bucket] = (tally[prefix .. bucket] or 0) + amount end
  end
  local minute = nil
  for field, amount in pairs(tally) do
    minute = minute or (base .. 'minute:' .. math.floor(now / 60000))
    redis.call('HINCRBY', totals, field, amount)
    redis.call('HINCRBY', minute, field, amount)
  end
  if minute then redis.call('EXPIRE', minute, 90000) end
  for state = 0, 7 do
    if moves[state] ~= 0 then redis.call('HINCRBY', counts, STATE_NAMES[state], moves[state]) end
    if child_moves[state] ~= 0 then redis.call('HINCRBY', counts, 'child:' .. STATE_NAMES[state], child_moves[state]) end
  end
  for band, amount in pairs(bands) do
    if amount ~= 0 then redis.call('HINCRBY', counts, 'band:' .. band, amount) end
  end
  for field, amount in pairs(codes) do redis.call('HINCRBY', counts, field, amount) end
end
