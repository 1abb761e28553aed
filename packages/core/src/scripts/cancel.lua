-- cancel: ends tasks from outside; a parent takes its children with it.
-- GUARANTEE: a cancelled task never runs again, and no later word of its holder is accepted. Touches at most `limit`
--   children a call and answers from which one to call again.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at id from_child limit timeline_ms
-- REPLY: cancelled <now> <next child or 0> | final <state> | missing
-- EVENT: cancelled <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock layout buckets record unit histogram bands totals timeline line message gate lease feed identity errors fan_in
local function cancel(task)
  local was = task[STATE]
  -- A reaped run is out of `processing` and still at work.
  local run_open = has(task, RUN_OPEN)
  leave_place(task)
  count_move(task, was, CANCELLED)
  task[STATE] = CANCELLED
  task[SINCE] = now
  clear_flag(task, RUN_OPEN)
  free_identity(task)
  if not is_child(task[ID]) then add_to(finished, now, task[ID]) end
  save_task(task)
  add_of(task[ID], 'cancelled')
  note(task[ID], 'cancelled', { run = task[FENCE] })
  moved[#moved + 1] = task[ID]
  if run_open then redis.call('PUBLISH', base .. 'control', 'cancel ' .. task[ID] .. ' ' .. task[FENCE]) end
end

local task = load_task(id)
if not task then return { 'missing' } end
-- A caller that died between two steps left its place behind; whoever cancels again goes on from there.
if from_child == 0 and task[STATE] == CANCELLED and has(task, IS_PARENT) then
  from_child = tonumber(redis.call('HGET', children_key(id), 'cancel_from')) or 0
end
if from_child > 0 then
  if task[STATE] ~= CANCELLED then return { 'final', STATE_NAMES[task[STATE]] } end
elseif task[STATE] >= COMPLETED then
  return { 'final', STATE_NAMES[task[STATE]] }
else
  cancel(task)
  child_ended(id, 'failed')
  from_child = 1
end
local next_child = 0
if has(task, IS_PARENT) then
  local total = tonumber(redis.call('HGET', children_key(id), 'total')) or 0
  local last = math.min(total, from_child + limit - 1)
  for number = from_child, last do
    local child = load_task(string.format('%s.%05d', id, number))
    if child and child[STATE] < COMPLETED then cancel(child) end
  end
  if last < total then
    next_child = last + 1
    redis.call('HSET', children_key(id), 'cancel_from', next_child)
  else
    redis.call('HDEL', children_key(id), 'cancel_from')
  end
end
finish('cancelled')
return { 'cancelled', tostring(now), tostring(next_child) }
