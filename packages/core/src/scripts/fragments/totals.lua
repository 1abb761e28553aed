-- Counters that never fall, the minute's history, and how many tasks are in each state. Written once, at the end.
local tally = {}
local moves = {}

local function add(field, amount)
  tally[field] = (tally[field] or 0) + (amount or 1)
end

-- from or to may be nil: the task comes into being, or is forgotten.
local function count_move(id, from, to)
  local prefix = is_child(id) and 'child:' or ''
  if from then
    local name = STATE_NAMES[from]
    moves[name] = (moves[name] or 0) - 1
    if prefix ~= '' then moves[prefix .. name] = (moves[prefix .. name] or 0) - 1 end
  end
  if to then
    local name = STATE_NAMES[to]
    moves[name] = (moves[name] or 0) + 1
    if prefix ~= '' then moves[prefix .. name] = (moves[prefix .. name] or 0) + 1 end
  end
end

-- Histogram buckets double every two steps: bucket b ends at 2^(b/2) milliseconds (rules/histogram.ts).
local function bucket_of_duration(milliseconds)
  if milliseconds <= 1 then return 0 end
  local mantissa, exponent = math.frexp(milliseconds)
  if mantissa == 0.5 then return 2 * (exponent - 1) end
  if mantissa <= 0.70710678118654752 then return 2 * exponent - 1 end
  return 2 * exponent
end

local function write_totals()
  local minute = base .. 'minute:' .. math.floor(now / 60000)
  local any = false
  for field, amount in pairs(tally) do
    redis.call('HINCRBY', totals, field, amount)
    redis.call('HINCRBY', minute, field, amount)
    any = true
  end
  if any then redis.call('EXPIRE', minute, 90000) end
  for field, amount in pairs(moves) do
    if amount ~= 0 then redis.call('HINCRBY', counts, field, amount) end
  end
end
