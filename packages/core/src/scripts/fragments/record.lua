-- Tasks as arrays, unpacked from their records (fragments/layout.lua).
local function has(task, flag)
  return bit.band(task[FLAGS], flag) ~= 0
end

local function set_flag(task, flag)
  task[FLAGS] = bit.bor(task[FLAGS], flag)
end

local function clear_flag(task, flag)
  task[FLAGS] = bit.band(task[FLAGS], bit.bnot(flag))
end

local function parent_of(id)
  return string.sub(id, 1, sequence_at + 18)
end

local function unpack_record(id, bucket, packed)
  local version = string.byte(packed)
  if version ~= RECORD_VERSION then error('the record of ' .. id .. ' has format version ' .. tostring(version)) end
  return { id, bucket, false, string.sub(packed, RECORD_BYTES + 1), struct.unpack(RECORD_LAYOUT, packed) }
end

local function pack_record(task)
  return struct.pack(RECORD_LAYOUT, unpack(task, VERSION, PROGRESS)) .. task[WORKER]
end

-- A task of its own that nothing has happened to.
local function new_task(id, bucket, state, priority, score, max_retries, crash_budget)
  return { id, bucket, false, '', RECORD_VERSION, state, 0, priority, score, 0, 0, 0, max_retries, crash_budget, now, now, 0, 0, 0 }
end

-- Whether worker and fence are those of the task's open run (DESIGN P2).
local function holds(task, worker, fence)
  return task[FENCE] == fence and task[WORKER] == worker and has(task, RUN_OPEN)
end
