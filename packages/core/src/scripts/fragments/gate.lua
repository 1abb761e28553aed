-- Gates: a task may name a key whose tasks run at most n at once, or start at most n times in a span (DESIGN, "Concurrency
-- keys"). A task that a gate holds back is parked at its own score, still pending, and returns to its own place.
local function holders_key(key)
  return base .. 'gate:holders:' .. key
end

local function starts_key(key)
  return base .. 'gate:starts:' .. key
end

local function parked_key(key)
  return base .. 'parked:' .. key
end

local function gate_of(task)
  return load_header(task).gate
end

-- When the key's next start is allowed; nil where that is now.
local function next_start(gate)
  if not gate.rate then return nil end
  local starts = starts_key(gate.key)
  if redis.call('LLEN', starts) < gate.rate then return nil end
  local free_at = tonumber(redis.call('LINDEX', starts, -gate.rate)) + gate.rate_ms
  return free_at > now and free_at or nil
end

-- How many starts of the key are allowed now, at most `most`; and when one more is, where fewer are.
local function free_starts(gate, most)
  if not gate.rate then return math.min(1, most), nil end
  local starts = starts_key(gate.key)
  local free = math.max(0, gate.rate - redis.call('LLEN', starts))
  while free < math.min(gate.rate, most) do
    local free_at = tonumber(redis.call('LINDEX', starts, free - gate.rate)) + gate.rate_ms
    if free_at > now then return free, free_at end
    free = free + 1
  end
  return math.min(free, most), nil
end

local function has_room(gate)
  return not gate.limit or redis.call('SCARD', holders_key(gate.key)) < gate.limit
end

-- Takes a slot, or parks the task and says no.
local function pass_gate(task)
  local gate = gate_of(task)
  local free_at = next_start(gate)
  if free_at or not has_room(gate) then
    set_flag(task, PARKED)
    redis.call('ZADD', parked_key(gate.key), task[SCORE], task[ID])
    if free_at then redis.call('ZADD', throttled, free_at, gate.key) end
    return false
  end
  if gate.limit then redis.call('SADD', holders_key(gate.key), task[ID]) end
  if gate.rate then
    local starts = starts_key(gate.key)
    redis.call('RPUSH', starts, now)
    redis.call('LTRIM', starts, -gate.rate, -1)
    redis.call('PEXPIRE', starts, gate.rate_ms)
  end
  return true
end

-- The best parked task of a key returns to the line.
local function unpark_one(key)
  local best = redis.call('ZPOPMIN', parked_key(key))
  if not best[1] then return false end
  local task = load_task(best[1])
  if task and has(task, PARKED) then
    clear_flag(task, PARKED)
    put_in_line(task, task[SINCE])
  end
  return true
end

-- A task that was unparked to take a free slot goes elsewhere instead: the next of its key takes the turn, and is parked again
-- where there is none.
local function pass_turn_on(task)
  if has(task, HAS_GATE) then unpark_one(gate_of(task).key) end
end

-- A run has stopped, or its lease ended: its slot is free.
local function leave_gate(task)
  if not has(task, HAS_GATE) then return end
  local gate = gate_of(task)
  if gate.limit and redis.call('SREM', holders_key(gate.key), task[ID]) == 1 then unpark_one(gate.key) end
end
