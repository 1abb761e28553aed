-- cancel: ends tasks from outside; a parent takes its children with it.
-- GUARANTEE: a cancelled task never runs again, and no later word of its holder is accepted. Touches at most `limit`
--   children a call; `more` asks to be called again from the child it names.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at id from_child limit timeline_ms
-- REPLY: cancelled <now> <next child or 0> | final <state> | missing
-- EVENT: cancelled <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock record unit totals timeline line feed lease message identity errors fan_in
local function cancel(task)
  local was = task[STATE]
  leave_place(task)
  count_move(task[ID], was, CANCELLED)
  task[STATE] = CANCELLED
  task[SINCE] = now
  clear_flag(task, RUN_OPEN)
  free_identity(task)
  if not is_child(task[ID]) then add_to(finished, now, task[ID]) end
  save_task(task)
  add('cancelled')
  note(task[ID], 'cancelled', { run = task[FENCE] })
  moved[#moved + 1] = task[ID]
  if was == PROCESSING then redis.call('PUBLISH', base .. 'control', 'cancel ' .. task[ID] .. ' ' .. task[FENCE]) end
end

local task = load_task(id)
if not task then return { 'missing' } end
local answer
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
  if last < total then next_child = last + 1 end
end
finish('cancelled')
return { 'cancelled', tostring(now), tostring(next_child) }
