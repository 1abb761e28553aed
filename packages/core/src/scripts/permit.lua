-- permit: gives out permits of a queue's rate, each for one run that starts now, on any shard.
-- GUARANTEE: no span of `per_ms` holds more starts than `count`, as long as each permit is spent within a fiftieth of the
--   span; what was spent later is settled as late and counted anew. What comes back unspent is given out again.
-- A start counts for the span and two fiftieths more: one because starts are counted by fiftieths, one to spend it in.
-- KEYS: rate replay
-- ARGV: request_id replay_ms want ticket unspent late
-- REPLY: permitted <count> <ticket> <to be spent by, ms> <ms until there are more, 0 where all were given> | unlimited
-- FLAGS: allow-oom
-- INCLUDE: clock replay
local PARTS = 50
local stored = redis.call('HMGET', rate, 'count', 'per_ms', 'starts')
local count, per_ms = tonumber(stored[1]), tonumber(stored[2])
if not count or not per_ms then return { 'unlimited' } end

local kept = replayed_answer()
if kept then return kept end

local part = math.ceil(per_ms / PARTS)
local span = per_ms + 2 * part
local current = now - now % part

-- Starts by the part that they began in, oldest first. What lies ahead of a clock that was set back counts from now.
local parts, total = {}, 0
for at, amount in string.gmatch(stored[3] or '', '(%d+) (%d+)') do
  at, amount = math.min(tonumber(at), current), tonumber(amount)
  if at == ticket then
    local gone = math.min(amount, unspent + late)
    amount = amount - gone
  end
  if amount > 0 and at + span > now then
    parts[#parts + 1] = { at, amount }
    total = total + amount
  end
end

local function count_start(amount)
  if amount <= 0 then return end
  local last = parts[#parts]
  if last and last[1] == current then
    last[2] = last[2] + amount
  else
    parts[#parts + 1] = { current, amount }
  end
  total = total + amount
end

count_start(late)
local given = math.max(0, math.min(want, count - total))
count_start(given)

-- When the next permit is free: once enough of the oldest no longer count.
local wait = 0
if given < want then
  local left = total
  for index = 1, #parts do
    left = left - parts[index][2]
    wait = parts[index][1] + span - now
    if left < count then break end
  end
end

local written = {}
for index = 1, #parts do written[index] = string.format('%.0f %.0f', parts[index][1], parts[index][2]) end
redis.call('HSET', rate, 'starts', table.concat(written, ' '))
local answer = { 'permitted', tostring(given), string.format('%.0f', current), string.format('%.0f', now + part), string.format('%.0f', wait) }
keep_answer(answer)
return answer
