-- reprioritize: gives a task that has not ended another priority; a parent takes its children with it.
-- GUARANTEE: a waiting task moves to the place its new score gives it; a running one keeps running and takes the new
--   score wherever it next waits. Touches at most `limit` children a call and answers from which one to call again.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at id priority score clock_weight from_child limit timeline_ms
-- REPLY: reprioritized <state> <next child or 0> | final <state> | missing
-- EVENT: reprioritized <id>
-- INCLUDE: clock layout buckets record unit histogram bands totals timeline line message gate lease feed
local function move(task, new_score)
  if task[STATE] == PENDING then
    count_band(task[PRIORITY], -1)
    count_band(priority, 1)
  end
  task[PRIORITY] = priority
  task[SCORE] = new_score
  move_in_line(task)
end

local task = load_task(id)
if not task then return { 'missing' } end
if task[STATE] >= COMPLETED then return { 'final', STATE_NAMES[task[STATE]] } end
move(task, score + clock_weight * task[CREATED])
if from_child == 1 then
  note(id, 'reprioritized', { detail = tostring(priority) })
  moved[1] = id
end
local next_child = 0
if has(task, IS_PARENT) then
  local total = tonumber(redis.call('HGET', base .. 'children:' .. id, 'total')) or 0
  local last = math.min(total, from_child + limit - 1)
  for number = from_child, last do
    local child = load_task(string.format('%s.%05d', id, number))
    if child and child[STATE] < COMPLETED then move(child, task[SCORE]) end
  end
  if last < total then next_child = last + 1 end
end
finish('reprioritized')
return { 'reprioritized', STATE_NAMES[task[STATE]], tostring(next_child) }
