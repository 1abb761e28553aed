-- A task becomes a dead letter: it keeps its record, errors and message, and waits for a person.
local function bury(task, code)
  count_move(task, task[STATE], DEAD_LETTER)
  task[STATE] = DEAD_LETTER
  task[SINCE] = now
  file_dead(task, code)
  free_identity(task)
  save_task(task)
  add_of(task[ID], 'dead_lettered')
  note(task[ID], 'dead_lettered', { code = code, run = task[FENCE] })
  child_ended(task[ID], 'failed')
end
