-- A task's changing part, packed (docs/redis-keys.md, "record"). rules/record.ts reads the same layout.
local RECORD_LAYOUT = '>BBBHdI4HHHBI6I6I6I6H'
local RECORD_BYTES = 50
local RECORD_VERSION = 1
local SCHEDULED, PENDING, PROCESSING, RETRYING, WAITING, COMPLETED, CANCELLED, DEAD_LETTER = 0, 1, 2, 3, 4, 5, 6, 7
local STATE_NAMES = { [0] = 'scheduled', 'pending', 'processing', 'retrying', 'waiting', 'completed', 'cancelled', 'dead_letter' }
local RUN_OPEN, HAS_IDENTITY, HAS_TAGS, IS_PARENT = 1, 2, 4, 8

local function has(task, flag)
  return math.floor(task.flags / flag) % 2 == 1
end

local function set_flag(task, flag)
  if not has(task, flag) then task.flags = task.flags + flag end
end

local function clear_flag(task, flag)
  if has(task, flag) then task.flags = task.flags - flag end
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

local function load_task(id)
  local bucket = bucket_of(id)
  local packed = redis.call('HGET', base .. 'tasks:' .. bucket, id)
  if not packed then return nil end
  local task = { id = id, bucket = bucket }
  task.version, task.state, task.flags, task.priority, task.score, task.fence, task.attempts, task.crashes, task.max_retries,
    task.crash_budget, task.created, task.since, task.started, task.deferred_since, task.progress =
    struct.unpack(RECORD_LAYOUT, packed)
  task.worker = string.sub(packed, RECORD_BYTES + 1)
  return task
end

local function save_task(task)
  redis.call('HSET', base .. 'tasks:' .. task.bucket, task.id,
    struct.pack(RECORD_LAYOUT, RECORD_VERSION, task.state, task.flags, task.priority, task.score, task.fence, task.attempts,
      task.crashes, task.max_retries, task.crash_budget, task.created, task.since, task.started, task.deferred_since,
      task.progress) .. task.worker)
end

-- Whether worker and fence are those of the task's open run (DESIGN P2).
local function holds(task, worker, fence)
  return has(task, RUN_OPEN) and task.fence == fence and task.worker == worker
end
