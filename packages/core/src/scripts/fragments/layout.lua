-- A task's changing part, packed (docs/redis-keys.md, "record"). rules/record.ts reads the same layout.
-- In a script a task is an array: what stands before VERSION is the script's own, from there on it is the record's fields.
local RECORD_LAYOUT = '>BBBHdI4HHHBI6I6I6I6H'
local RECORD_BYTES = 50
local RECORD_VERSION = 1
local ID, BUCKET, CHANGED, WORKER, VERSION, STATE, FLAGS, PRIORITY, SCORE, FENCE, ATTEMPTS, CRASHES, MAX_RETRIES, CRASH_BUDGET,
  CREATED, SINCE, STARTED, DEFERRED_SINCE, PROGRESS = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19
local SCHEDULED, PENDING, PROCESSING, RETRYING, WAITING, COMPLETED, CANCELLED, DEAD_LETTER = 0, 1, 2, 3, 4, 5, 6, 7
local RUN_OPEN, HAS_IDENTITY, HAS_TAGS, IS_PARENT, HAS_GATE, PARKED = 1, 2, 4, 8, 16, 32
