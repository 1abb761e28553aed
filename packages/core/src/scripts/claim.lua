-- claim: opens a run for each of the best tasks of the shard: fence up, lease entered, lock key set, all in one step.
-- GUARANTEE: a task popped from `pending` is in `processing` with its lock key when the script ends. Nothing worse than
--   `bound` is taken. Sent again under the same request id, it answers with what of the first answer is still held.
-- KEYS: base pending due finished processing dead counts totals locks replay
-- ARGV: sequence_at request_id replay_ms worker lease_ms limit bound lock_keys timeline_ms
-- REPLY: claimed <now> <head left or -> { id, fence, attempts, crashes, max_retries, priority, created, since, progress,
--   children completed, failed, total, message }… | paused
-- EVENT: claimed <id>…
-- INCLUDE: clock record totals timeline feed message replay
local function children_counts(task)
  if not has(task, IS_PARENT) then return { '0', '0', '0' } end
  local reply = redis.call('HMGET', base .. 'children:' .. task.id, 'completed', 'failed', 'total')
  return { reply[1] or '0', reply[2] or '0', reply[3] or '0' }
end

local answer = { 'claimed', tostring(now), '-' }
local function say(task, since, message)
  local counted = children_counts(task)
  for _, value in ipairs({ task.id, tostring(task.fence), tostring(task.attempts), tostring(task.crashes), tostring(task.max_retries),
    tostring(task.priority), tostring(task.created), tostring(since), tostring(task.progress), counted[1], counted[2], counted[3], message }) do
    answer[#answer + 1] = value
  end
end

local function message_of(task)
  return redis.call('HGET', base .. 'messages:' .. task.bucket, task.id) or ''
end

local function left_head()
  local head = redis.call('ZRANGE', pending, 0, 0, 'WITHSCORES')
  return head[2] or '-'
end

local kept = replayed_answer()
if kept then
  for index = 1, #kept, 2 do
    local task = load_task(kept[index])
    if task and task.state == PROCESSING and holds(task, worker, tonumber(kept[index + 1])) then
      say(task, task.since, message_of(task))
    end
  end
  answer[3] = left_head()
  return answer
end

if redis.call('EXISTS', base .. 'paused') == 1 then return { 'paused' } end

local available = bound == '' and limit or redis.call('ZCOUNT', pending, '-inf', bound)
local popped = redis.call('ZPOPMIN', pending, math.min(limit, available))
local expiry = now + lease_ms
local leases, given = {}, {}
for index = 1, #popped, 2 do
  local id = popped[index]
  local task = load_task(id)
  if not task then
    add('repaired:pending_without_record')
  else
    local waited_since = task.since
    count_move(id, task.state, PROCESSING)
    add((is_child(id) and 'child:wait:' or 'wait:') .. bucket_of_duration(math.max(0, now - waited_since)))
    task.state = PROCESSING
    set_flag(task, RUN_OPEN)
    task.fence = task.fence + 1
    task.worker = worker
    task.since = now
    task.started = now
    save_task(task)
    leases[#leases + 1] = expiry
    leases[#leases + 1] = id
    if lock_keys == 1 then redis.call('SET', locks .. id, worker .. '#' .. task.fence, 'PX', lease_ms) end
    note(id, 'claimed', { run = task.fence, fence = task.fence, worker_id = worker, detail = tostring(now - waited_since) })
    say(task, waited_since, message_of(task))
    given[#given + 1] = id
    given[#given + 1] = tostring(task.fence)
    moved[#moved + 1] = id
  end
end
if #leases > 0 then redis.call('ZADD', processing, unpack(leases)) end
answer[3] = left_head()
write_totals()
publish_feed('claimed')
keep_answer(given)
return answer
