-- A task's changing part, packed (docs/redis-keys.md, "record"). rules/record.ts reads the same layout.
-- In a script a task is an array: what stands before VERSION is the script's own, from there on it is the record's fields.
local RECORD_LAYOUT = '>BBBHdI4HHHBI6I6I6I6H'
local RECORD_BYTES = 50
local RECORD_VERSION = 1
local ID, BUCKET, CHANGED, WORKER, VERSION, STATE, FLAGS, PRIORITY, SCORE, FENCE, ATTEMPTS, CRASHES, MAX_RETRIES, CRASH_BUDGET,
  CREATED, SINCE, STARTED, DEFERRED_SINCE, PROGRESS = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19
local SCHEDULED, PENDING, PROCESSING, RETRYING, WAITING, COMPLETED, CANCELLED, DEAD_LETTER = 0, 1, 2, 3, 4, 5, 6, 7
local STATE_NAMES = { [0] = 'scheduled', 'pending', 'processing', 'retrying', 'waiting', 'completed', 'cancelled', 'dead_letter' }
local RUN_OPEN, HAS_IDENTITY, HAS_TAGS, IS_PARENT, HAS_GATE, PARKED = 1, 2, 4, 8, 16, 32

local function has(task, flag)
  return bit.band(task[FLAGS], flag) ~= 0
end

local function set_flag(task, flag)
  task[FLAGS] = bit.bor(task[FLAGS], flag)
end

local function clear_flag(task, flag)
  task[FLAGS] = bit.band(task[FLAGS], bit.bnot(flag))
end

-- Which of the bounded hashes an id's record and message live in. Ids that share ten digits mostly share their hash.
local known_buckets = {}
local function bucket_of(id)
  local block = string.sub(id, sequence_at, sequence_at + 9)
  local bucket = known_buckets[block]
  if not bucket then
    local first = tonumber(block, 36) * 1296
    bucket = math.floor(first / 4096)
    if math.floor((first + 1295) / 4096) == bucket then
      known_buckets[block] = bucket
    else
      bucket = math.floor(tonumber(string.sub(id, sequence_at, sequence_at + 11), 36) / 4096)
    end
  end
  if #id > sequence_at + 18 then
    return bucket .. ':' .. math.floor(tonumber(string.sub(id, sequence_at + 20)) / 4096)
  end
  return bucket
end

local function is_child(id)
  return #id > sequence_at + 18
end

local function parent_of(id)
  return string.sub(id, 1, sequence_at + 18)
end

-- Whether this build can read a record.
local function is_known(packed)
  return string.byte(packed, 1) == RECORD_VERSION and #packed >= RECORD_BYTES
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
