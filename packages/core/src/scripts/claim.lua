-- claim: opens a run for each of the best tasks of the shard: fence up, lease entered, lock key set, all in one step.
-- GUARANTEE: a task taken from `pending` is in `processing` with its lock key when the script ends. Nothing worse than
--   `bound` is taken. Sent again under the same request id, it answers with what of the first answer is still held.
-- KEYS: base pending due finished processing dead counts totals locks replay
-- ARGV: sequence_at request_id replay_ms worker lease_ms limit bound lock_keys timeline_ms
-- REPLY: claimed <now> <ids, a space between> <records, all of one length> message… { place, `completed failed total` }… | paused
--   The pairs tell parents' children; a place counts from 1. A claim is few words, because each costs both ends.
-- EVENT: claimed <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock record record_bytes unit totals timeline line message gate feed replay
-- Adds how a parent's children ended to the answer.
local function say_children(answer, place, task)
  if not task or not has(task, IS_PARENT) then return end
  local reply = redis.call('HMGET', base .. 'children:' .. task[ID], 'completed', 'failed', 'total')
  answer[#answer + 1] = tostring(place)
  answer[#answer + 1] = table.concat({ reply[1] or '0', reply[2] or '0', reply[3] or '0' }, ' ')
end

local function say(ids, stretches, ids_text, records)
  local answer = { 'claimed', now_text, ids_text, table.concat(records) }
  local messages = read_fields('messages:', ids, stretches)
  for index = 1, #ids do answer[index + 4] = messages[index] or '' end
  for index = 1, #ids do say_children(answer, index, loaded[ids[index]]) end
  return answer
end

-- Kept of an answer: when it was, and its ids. That a run began then says that it is the one that was answered: who has
-- lost the answer cannot have given the task up, and until its lease ends nobody else takes it.
local kept = replayed_answer()
if kept then
  local held, records, began = {}, {}, tonumber(kept[1])
  for id in string.gmatch(kept[2], '%S+') do
    local task = load_task(id)
    if task and task[STATE] == PROCESSING and task[STARTED] == began and holds(task, worker, task[FENCE]) then
      held[#held + 1] = id
      records[#records + 1] = pack_record(task)
    end
  end
  return say(held, stretches_of(held), table.concat(held, ' '), records)
end

if redis.call('EXISTS', base .. 'paused') == 1 then return { 'paused' } end

local available = bound == '' and limit or redis.call('ZCOUNT', pending, '-inf', bound)
local popped = available > 0 and limit > 0 and redis.call('ZPOPMIN', pending, math.min(limit, available)) or {}
local ids = {}
for index = 1, #popped / 2 do ids[index] = popped[2 * index - 1] end
local stretches = stretches_of(ids)
local packed = read_fields('tasks:', ids, stretches)

-- A record that this build cannot read ends the script; what was popped with it goes back first.
for index = 1, #ids do
  if packed[index] and not is_known(packed[index]) then
    for at = 1, #popped, 2 do popped[at], popped[at + 1] = popped[at + 1], popped[at] end
    redis.call('ZADD', pending, unpack(popped))
    return redis.error_reply('ERR a task record has a format that this build does not know: upgrade this process')
  end
end

local claimed, records, leases, count = {}, {}, {}, 0
local expiry, lease_text = string.format('%.0f', now + lease_ms), tostring(lease_ms)

-- The rest of a claim, when the record is made: lease, lock key, answer.
local function open_run(id, record, holder)
  if lock_keys == 1 then redis.call('SET', locks .. id, holder, 'PX', lease_text) end
  count = count + 1
  claimed[count], records[count] = id, record
  leases[2 * count - 1], leases[2 * count] = expiry, id
end

-- The bytes of a fence → those of the next, and what the lock key says of that run. Most tasks share a fence.
local next_fences, holders = {}, {}
local function learn_fence(bytes)
  local fence = struct.unpack('>I4', bytes) + 1
  next_fences[bytes] = struct.pack('>I4', fence)
  holders[bytes] = worker .. '#' .. fence
end

-- Places (priority and score) and waiting times are counted by their bytes and read once each.
local place_counts, since_counts, plain_count = {}, {}, 0
local heads = {}
for flags = 0, PLAIN_FLAGS_END - 1 do heads[flags] = string.char(RECORD_VERSION, PROCESSING, bit.bor(flags, RUN_OPEN)) end
local twice_now = now_bytes .. now_bytes

local function claim_plain(id, bytes, flags)
  local place, fence, since = string.sub(bytes, 4, 13), string.sub(bytes, 14, 17), string.sub(bytes, 31, 36)
  if not holders[fence] then learn_fence(fence) end
  place_counts[place] = (place_counts[place] or 0) + 1
  since_counts[since] = (since_counts[since] or 0) + 1
  plain_count = plain_count + 1
  open_run(id, heads[flags] .. place .. next_fences[fence] .. string.sub(bytes, 18, 30) .. twice_now .. string.sub(bytes, 43, 50) .. worker,
    holders[fence])
  if timeline_ms > 0 then
    local run = struct.unpack('>I4', next_fences[fence])
    note(id, 'claimed', { run = run, fence = run, worker_id = worker, detail = tostring(milliseconds_since(since)) })
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
  open_run(id, pack_record(task), worker .. '#' .. task[FENCE])
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
for place, amount in pairs(place_counts) do count_band(struct.unpack('>H', place), -amount) end
count_plain(plain_count, PENDING, PROCESSING)

-- Some of what was popped may have been parked, cancelled or forgotten.
if count < #ids then stretches = stretches_of(claimed) end
for at = 1, #stretches, 3 do
  local fields = { base .. 'tasks:' .. stretches[at] }
  for index = stretches[at + 1], stretches[at + 2] do
    local place = #fields
    fields[place + 1], fields[place + 2] = claimed[index], records[index]
  end
  redis.call('HSET', unpack(fields))
end
if count > 0 then redis.call('ZADD', processing, unpack(leases)) end
moved = claimed
local ids_text = table.concat(claimed, ' ')
finish('claimed', ids_text)
if count > 0 then keep_answer({ now_text, ids_text }) end
return say(claimed, stretches, ids_text, records)
