-- A task becomes a dead letter: it keeps its record, errors and message, and waits for a person.
local function bury(task, code)
  count_move(task.id, task.state, DEAD_LETTER)
  task.state = DEAD_LETTER
  task.since = now
  file_dead(task, code)
  free_identity(task)
  save_task(task)
  add('dead_lettered')
  note(task.id, 'dead_lettered', { code = code, run = task.fence })
  child_ended(task.id, 'failed')
end
