-- claim: opens a run for each of the best tasks of the shard: fence up, lease entered, lock key set, all in one step.
-- GUARANTEE: a task taken from `pending` is in `processing` with its lock key when the script ends. Nothing worse than
--   `bound` is taken. Sent again under the same request id, it answers with what of the first answer is still held.
-- KEYS: base pending due finished processing dead counts totals locks replay
-- ARGV: sequence_at request_id replay_ms worker lease_ms limit bound lock_keys timeline_ms
-- REPLY: claimed <now> { id, record, message, `completed failed total` of its children or nothing }… | paused
-- EVENT: claimed <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock record unit totals timeline line message gate feed replay
local answer = { 'claimed', tostring(now) }

local function children_counts(task)
  if not has(task, IS_PARENT) then return '' end
  local reply = redis.call('HMGET', base .. 'children:' .. task[ID], 'completed', 'failed', 'total')
  return table.concat({ reply[1] or '0', reply[2] or '0', reply[3] or '0' }, ' ')
end

-- Says the tasks, a bucket at a time; with `write` each record is stored as it is said.
local function say_all(tasks, write)
  local from = 1
  while from <= #tasks do
    local bucket = tasks[from][BUCKET]
    local ids, records, to = {}, {}, from
    while to <= #tasks and tasks[to][BUCKET] == bucket do
      local task, at = tasks[to], #records
      local packed = pack_record(task)
      ids[#ids + 1] = task[ID]
      records[at + 1], records[at + 2] = task[ID], packed
      to = to + 1
    end
    local messages = redis.call('HMGET', base .. 'messages:' .. bucket, unpack(ids))
    local at = #answer
    for index = 1, #ids do
      answer[at + 1], answer[at + 2] = ids[index], records[2 * index]
      answer[at + 3], answer[at + 4] = messages[index] or '', children_counts(tasks[from + index - 1])
      at = at + 4
    end
    if write then redis.call('HSET', base .. 'tasks:' .. bucket, unpack(records)) end
    from = to
  end
end

local kept = replayed_answer()
if kept then
  local held = {}
  for index = 1, #kept, 2 do
    local task = load_task(kept[index])
    if task and task[STATE] == PROCESSING and holds(task, worker, kept[index + 1]) then held[#held + 1] = task end
  end
  say_all(held, false)
  return answer
end

if redis.call('EXISTS', base .. 'paused') == 1 then return { 'paused' } end

-- Looked at before they are popped: a record that cannot be read ends the script, and must not take its neighbours along.
local ids = {}
if limit > 0 then
  ids = bound == '' and redis.call('ZRANGE', pending, 0, limit - 1)
    or redis.call('ZRANGE', pending, '-inf', bound, 'BYSCORE', 'LIMIT', 0, limit)
end
load_tasks(ids)
if #ids > 0 then redis.call('ZPOPMIN', pending, #ids) end

local expiry = string.format('%.0f', now + lease_ms)
local lease_text = tostring(lease_ms)
local fence_texts = {}
local function fence_text(fence)
  local text = fence_texts[fence]
  if not text then
    text = '#' .. fence
    fence_texts[fence] = text
  end
  return text
end

local claimed, given, leases = {}, {}, {}
for index = 1, #ids do
  local id = ids[index]
  local task = loaded[id]
  if not task or task[STATE] ~= PENDING then
    add('repaired:pending_without_record')
  elseif has(task, HAS_GATE) and not pass_gate(task) then
    save_task(task)
  else
    local waited = math.max(0, now - task[SINCE])
    local fence = task[FENCE] + 1
    count_move(task, PENDING, PROCESSING)
    add_duration(is_child(id) and 'child:wait:' or 'wait:', waited)
    set_flag(task, RUN_OPEN)
    task[STATE], task[FENCE], task[WORKER], task[SINCE], task[STARTED] = PROCESSING, fence, worker, now, now
    if lock_keys == 1 then redis.call('SET', locks .. id, worker .. fence_text(fence), 'PX', lease_text) end
    if timeline_ms > 0 then note(id, 'claimed', { run = fence, fence = fence, worker_id = worker, detail = tostring(waited) }) end
    local at = #claimed
    claimed[at + 1], moved[at + 1] = task, id
    leases[2 * at + 1], leases[2 * at + 2] = expiry, id
    given[2 * at + 1], given[2 * at + 2] = id, fence
  end
end
if #claimed > 0 then redis.call('ZADD', processing, unpack(leases)) end
say_all(claimed, true)
finish('claimed')
if #given > 0 then keep_answer(given) end
return answer
