-- A task's changing part, packed (docs/redis-keys.md, "record"). rules/record.ts reads the same layout.
local RECORD_LAYOUT = '>BBBHdI4HHHBI6I6I6I6H'
local RECORD_BYTES = 50
local RECORD_VERSION = 1
local SCHEDULED, PENDING, PROCESSING, RETRYING, WAITING, COMPLETED, CANCELLED, DEAD_LETTER = 0, 1, 2, 3, 4, 5, 6, 7
local STATE_NAMES = { [0] = 'scheduled', 'pending', 'processing', 'retrying', 'waiting', 'completed', 'cancelled', 'dead_letter' }
local RUN_OPEN, HAS_IDENTITY, HAS_TAGS, IS_PARENT = 1, 2, 4, 8

local function has(task, flag)
  return bit.band(task.flags, flag) ~= 0
end

local function set_flag(task, flag)
  task.flags = bit.bor(task.flags, flag)
end

local function clear_flag(task, flag)
  task.flags = bit.band(task.flags, bit.bnot(flag))
end

-- Which of the bounded hashes an id's record and message live in.
local function bucket_of(id)
  local bucket = math.floor(tonumber(string.sub(id, sequence_at, sequence_at + 11), 36) / 4096)
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

local function unpack_record(id, bucket, packed)
  local version, state, flags, priority, score, fence, attempts, crashes, max_retries, crash_budget, created, since, started,
    deferred_since, progress = struct.unpack(RECORD_LAYOUT, packed)
  -- One constructor with every field: a table that grows field by field is copied four times.
  return {
    id = id, bucket = bucket, version = version, state = state, flags = flags, priority = priority, score = score, fence = fence,
    attempts = attempts, crashes = crashes, max_retries = max_retries, crash_budget = crash_budget, created = created,
    since = since, started = started, deferred_since = deferred_since, progress = progress,
    worker = string.sub(packed, RECORD_BYTES + 1), changed = false,
  }
end

local function pack_record(task)
  return struct.pack(RECORD_LAYOUT, RECORD_VERSION, task.state, task.flags, task.priority, task.score, task.fence, task.attempts,
    task.crashes, task.max_retries, task.crash_budget, task.created, task.since, task.started, task.deferred_since,
    task.progress) .. task.worker
end

-- Whether worker and fence are those of the task's open run (DESIGN P2).
local function holds(task, worker, fence)
  return task.fence == fence and task.worker == worker and has(task, RUN_OPEN)
end
