-- reprioritize: gives a task that has not ended another priority.
-- GUARANTEE: a waiting task moves to the place its new score gives it; a running one keeps running and takes the new
--   score wherever it next waits.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at id priority score clock_weight timeline_ms
-- REPLY: reprioritized <state> | final <state> | missing
-- EVENT: reprioritized <id>
-- INCLUDE: clock record unit totals timeline line feed
local task = load_task(id)
if not task then return { 'missing' } end
if task[STATE] >= COMPLETED then return { 'final', STATE_NAMES[task[STATE]] } end
task[PRIORITY] = priority
task[SCORE] = score + clock_weight * task[CREATED]
if task[STATE] == PENDING then put_in_line(task, task[SINCE]) else save_task(task) end
note(id, 'reprioritized', { detail = tostring(priority) })
moved[1] = id
finish('reprioritized')
return { 'reprioritized', STATE_NAMES[task[STATE]] }
