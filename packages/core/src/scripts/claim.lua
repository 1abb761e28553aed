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

-- Messages of claimed tasks, read a bucket at a time.
local function say_all(tasks)
  local from = 1
  while from <= #tasks do
    local bucket = tasks[from][BUCKET]
    local ids, to = {}, from
    while to <= #tasks and tasks[to][BUCKET] == bucket do
      ids[#ids + 1] = tasks[to][ID]
      to = to + 1
    end
    local messages = redis.call('HMGET', base .. 'messages:' .. bucket, unpack(ids))
    for index = 1, #ids do
      local task, at = tasks[from + index - 1], #answer
      answer[at + 1], answer[at + 2] = task[ID], pack_record(task)
      answer[at + 3], answer[at + 4] = messages[index] or '', children_counts(task)
    end
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
  say_all(held)
  return answer
end

if redis.call('EXISTS', base .. 'paused') == 1 then return { 'paused' } end

-- Looked at, not popped: a record that cannot be read ends the script, and must not take its neighbours out of line.
local ids = {}
if limit > 0 then
  ids = bound == '' and redis.call('ZRANGE', pending, 0, limit - 1)
    or redis.call('ZRANGE', pending, '-inf', bound, 'BYSCORE', 'LIMIT', 0, limit)
end
load_tasks(ids)

local claimed, given = {}, {}
for _, id in ipairs(ids) do
  local task = loaded[id]
  remove_from(pending, id)
  if not task or task[STATE] ~= PENDING then
    add('repaired:pending_without_record')
  elseif has(task, HAS_GATE) and not pass_gate(task) then
    save_task(task)
  else
    local waited = math.max(0, now - task[SINCE])
    count_move(task, task[STATE], PROCESSING)
    add_duration(is_child(id) and 'child:wait:' or 'wait:', waited)
    task[STATE] = PROCESSING
    set_flag(task, RUN_OPEN)
    task[FENCE] = task[FENCE] + 1
    task[WORKER] = worker
    task[SINCE], task[STARTED] = now, now
    save_task(task)
    add_to(processing, now + lease_ms, id)
    if lock_keys == 1 then redis.call('SET', locks .. id, worker .. '#' .. task[FENCE], 'PX', lease_ms) end
    if timeline_ms > 0 then note(id, 'claimed', { run = task[FENCE], fence = task[FENCE], worker_id = worker, detail = tostring(waited) }) end
    claimed[#claimed + 1] = task
    given[#given + 1] = id
    given[#given + 1] = task[FENCE]
    moved[#moved + 1] = id
  end
end
say_all(claimed)
finish('claimed')
if #given > 0 then keep_answer(given) end
return answer
