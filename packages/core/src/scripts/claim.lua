-- claim: opens a run for each of the best tasks of the shard: fence up, lease entered, lock key set, all in one step.
-- GUARANTEE: a task taken from `pending` is in `processing` with its lock key when the script ends. Nothing worse than
--   `bound` is taken. Sent again under the same request id, it answers with what of the first answer is still held.
-- KEYS: base pending due finished processing dead counts totals locks replay
-- ARGV: sequence_at request_id replay_ms worker lease_ms limit bound lock_keys timeline_ms
-- REPLY: claimed <now> { id, record, message, `completed failed total` of its children or nothing }… | paused
-- EVENT: claimed <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock record record_bytes unit totals timeline line message gate feed replay
local answer = { 'claimed', tostring(now) }

local function children_counts(task)
  if not has(task, IS_PARENT) then return '' end
  local reply = redis.call('HMGET', base .. 'children:' .. task[ID], 'completed', 'failed', 'total')
  return table.concat({ reply[1] or '0', reply[2] or '0', reply[3] or '0' }, ' ')
end

-- Says tasks whose records stand in `records`, a bucket at a time; with `write` the records are stored as they are said.
local function say_all(ids, records, write)
  local from = 1
  while from <= #ids do
    local bucket, to = bucket_of(ids[from]), from
    while to < #ids and bucket_of(ids[to + 1]) == bucket do to = to + 1 end
    local messages = redis.call('HMGET', base .. 'messages:' .. bucket, unpack(ids, from, to))
    local at, stored = #answer, {}
    for index = from, to do
      local id, task = ids[index], loaded[ids[index]]
      answer[at + 1], answer[at + 2] = id, records[index]
      answer[at + 3], answer[at + 4] = messages[index - from + 1] or '', task and children_counts(task) or ''
      at = at + 4
      stored[2 * (index - from) + 1], stored[2 * (index - from) + 2] = id, records[index]
    end
    if write then redis.call('HSET', base .. 'tasks:' .. bucket, unpack(stored)) end
    from = to + 1
  end
end

local kept = replayed_answer()
if kept then
  local held, records = {}, {}
  for index = 1, #kept, 2 do
    local task = load_task(kept[index])
    if task and task[STATE] == PROCESSING and holds(task, worker, kept[index + 1]) then
      held[#held + 1] = task[ID]
      records[#records + 1] = pack_record(task)
    end
  end
  say_all(held, records, false)
  return answer
end

if redis.call('EXISTS', base .. 'paused') == 1 then return { 'paused' } end

local available = bound == '' and limit or redis.call('ZCOUNT', pending, '-inf', bound)
local popped = available > 0 and limit > 0 and redis.call('ZPOPMIN', pending, math.min(limit, available)) or {}
local ids = {}
for index = 1, #popped, 2 do ids[#ids + 1] = popped[index] end
local packed = read_records(ids)

-- A record that this build cannot read ends the script; what was popped with it goes back first.
for index = 1, #ids do
  if packed[index] and not is_known(packed[index]) then
    for at = 1, #popped, 2 do popped[at], popped[at + 1] = popped[at + 1], popped[at] end
    redis.call('ZADD', pending, unpack(popped))
    return redis.error_reply('ERR a task record has a format that this build does not know: upgrade this process')
  end
end

local claimed, records, given, leases = {}, {}, {}, {}
local expiry, lease_text = string.format('%.0f', now + lease_ms), tostring(lease_ms)
local fence_texts = {}

-- The rest of a claim, when the record is made: lease, lock key, answer.
local function open_run(id, record, fence)
  local text = fence_texts[fence]
  if not text then
    text = '#' .. fence
    fence_texts[fence] = text
  end
  if lock_keys == 1 then redis.call('SET', locks .. id, worker .. text, 'PX', lease_text) end
  local at = #claimed
  claimed[at + 1], records[at + 1], moved[at + 1] = id, record, id
  leases[2 * at + 1], leases[2 * at + 2] = expiry, id
  given[2 * at + 1], given[2 * at + 2] = id, fence
end

local since_counts, priority_counts, plain_count = {}, {}, 0
local heads = {}
for flags = 0, PLAIN_FLAGS_END - 1 do heads[flags] = string.char(RECORD_VERSION, PROCESSING, bit.bor(flags, RUN_OPEN)) end

local function claim_plain(id, bytes, flags)
  local since = string.sub(bytes, 31, 36)
  local priority = string.sub(bytes, 4, 5)
  local fence = fence_of(string.sub(bytes, 14, 17)) + 1
  since_counts[since] = (since_counts[since] or 0) + 1
  priority_counts[priority] = (priority_counts[priority] or 0) + 1
  plain_count = plain_count + 1
  open_run(id, heads[flags] .. string.sub(bytes, 4, 13) .. fence_bytes(fence) .. string.sub(bytes, 18, 30) .. now_bytes .. now_bytes
    .. string.sub(bytes, 43, 50) .. worker, fence)
  if timeline_ms > 0 then
    note(id, 'claimed', { run = fence, fence = fence, worker_id = worker, detail = tostring(milliseconds_since(since)) })
  end
end

-- A parent's cancellation takes its children in steps; where its caller died between two, the rest end here.
local function ends_with_parent(task)
  local parent = is_child(task[ID]) and load_task(parent_of(task[ID]))
  if not parent or parent[STATE] ~= CANCELLED then return false end
  count_move(task, PENDING, CANCELLED)
  clear_flag(task, RUN_OPEN)
  task[STATE], task[SINCE] = CANCELLED, now
  save_task(task)
  add('cancelled')
  note(task[ID], 'cancelled', { run = task[FENCE] })
  return true
end

local function claim_other(id, bytes)
  local task = loaded[id] or unpack_record(id, bucket_of(id), bytes)
  loaded[id] = task
  if task[STATE] ~= PENDING then return add('repaired:pending_without_record') end
  if ends_with_parent(task) then return end
  if has(task, HAS_GATE) and not pass_gate(task) then return save_task(task) end
  local waited = math.max(0, now - task[SINCE])
  count_move(task, PENDING, PROCESSING)
  add_duration(is_child(id) and 'child:wait:' or 'wait:', waited)
  set_flag(task, RUN_OPEN)
  task[STATE], task[FENCE], task[WORKER], task[SINCE], task[STARTED] = PROCESSING, task[FENCE] + 1, worker, now, now
  open_run(id, pack_record(task), task[FENCE])
  if timeline_ms > 0 then
    note(id, 'claimed', { run = task[FENCE], fence = task[FENCE], worker_id = worker, detail = tostring(waited) })
  end
end

for index = 1, #ids do
  local id, bytes = ids[index], packed[index]
  if not bytes then
    add('repaired:pending_without_record')
  else
    local _, state, flags = string.byte(bytes, 1, 3)
    if state == PENDING and flags < PLAIN_FLAGS_END and not is_child(id) then
      claim_plain(id, bytes, flags)
    else
      claim_other(id, bytes)
    end
  end
end
for since, amount in pairs(since_counts) do add_duration('wait:', milliseconds_since(since), amount) end
for priority, amount in pairs(priority_counts) do count_band(struct.unpack('>H', priority), -amount) end
count_plain(plain_count, PENDING, PROCESSING)

if #claimed > 0 then redis.call('ZADD', processing, unpack(leases)) end
say_all(claimed, records, true)
finish('claimed')
if #given > 0 then keep_answer(given) end
return answer
