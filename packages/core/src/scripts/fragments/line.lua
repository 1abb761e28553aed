-- Putting tasks in line. An idle worker is woken only when the shard's head improves.
local best_added = nil

-- since: when the task became runnable; its wait is counted from there.
local function put_in_line(task, since)
  task[STATE] = PENDING
  task[SINCE] = since
  add_to(pending, task[SCORE], task[ID])
  if not best_added or task[SCORE] < best_added then best_added = task[SCORE] end
  save_task(task)
end
