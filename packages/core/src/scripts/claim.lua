-- claim: opens a run for each of the best tasks of the shard: fence up, lease entered, lock key set, all in one step.
-- GUARANTEE: a task taken from `pending` is in `processing` with its lock key when the script ends. Nothing worse than
--   `bound` is taken. Sent again under the same request id, it answers with what of the first answer is still held.
-- KEYS: base pending due finished processing dead counts totals locks replay
-- ARGV: sequence_at request_id replay_ms worker lease_ms limit bound lock_keys timeline_ms
-- REPLY: claimed <now> <ids, a space between> <records, all of one length> message… { place, `completed failed total` }… | paused
--   The pairs tell parents' children; a place counts from 1. A claim is few words, because each costs both ends.
-- EVENT: claimed <id>…
-- FLAGS: allow-oom
-- PLAIN: clock layout buckets histogram bands replay plain
-- INCLUDE: record unit totals timeline line message gate feed
-- Adds how a parent's children ended to the answer.
local function say_children(answer, place, task)
  if not task or not has(task, IS_PARENT) then return end
  local reply = redis.call('HMGET', base .. 'children:' .. task[ID], 'completed', 'failed', 'total')
  answer[#answer + 1] = tostring(place)
  answer[#answer + 1] = table.concat({ reply[1] or '0', reply[2] or '0', reply[3] or '0' }, ' ')
end

local function say(ids, stretches, ids_text, records)
  local answer = { 'claimed', now_text, ids_text, table.concat(records) }
  local messages = read_messages(ids, stretches)
  for index = 1, #ids do answer[index + 4] = messages[index] or '' end
  for index = 1, #ids do say_children(answer, index, loaded[ids[index]]) end
  return answer
end

-- Kept of an answer: when it was, and its ids. That a run began then says that it is the one that was answered: who has
-- lost the answer cannot have given the task up, and until its lease ends nobody else takes it.
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

-- A record that this build cannot read ends the script; what was popped with it goes back first.
for index = 1, #ids do
  local bytes = packed[index]
  if bytes and (string.byte(bytes) ~= RECORD_VERSION or #bytes < RECORD_BYTES) then
    for at = 1, #popped, 2 do popped[at], popped[at + 1] = popped[at + 1], popped[at] end
    redis.call('ZADD', pending, unpack(popped))
    return redis.error_reply('ERR a task record has a format that this build does not know: upgrade this process')
  end
end

local claimed, records, leases, count = {}, {}, {}, 0
local expiry = string.format('%.0f', now + lease_ms)

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

local function open_run(id, bytes, bucket)
  local task = loaded[id] or unpack_record(id, bucket, bytes)
  loaded[id] = task
  if task[STATE] ~= PENDING then return add('repaired:pending_without_record') end
  if ends_with_parent(task) then return end
  if has(task, HAS_GATE) and not pass_gate(task) then return save_task(task) end
  local waited = math.max(0, now - task[SINCE])
  count_move(task, PENDING, PROCESSING)
  add_duration(is_child(id) and 'child:wait:' or 'wait:', waited)
  set_flag(task, RUN_OPEN)
  task[STATE], task[FENCE], task[WORKER], task[SINCE], task[STARTED] = PROCESSING, task[FENCE] + 1, worker, now, now
  if lock_keys == 1 then redis.call('SET', locks .. id, worker .. '#' .. task[FENCE], 'PXAT', expiry) end
  count = count + 1
  claimed[count], records[count] = id, pack_record(task)
  leases[2 * count - 1], leases[2 * count] = expiry, id
  note(id, 'claimed', { run = task[FENCE], fence = task[FENCE], worker_id = worker, detail = tostring(waited) })
end

for at = 1, #stretches, 3 do
  for index = stretches[at + 1], stretches[at + 2] do
    if packed[index] then
      open_run(ids[index], packed[index], stretches[at])
    else
      add('repaired:pending_without_record')
    end
  end
end

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
