-- Putting tasks in line. An idle worker is woken only when the shard's head improves.
local best_added = nil

-- since: when the task became runnable; its wait is counted from there.
local function put_in_line(task, since)
  task.state = PENDING
  task.since = since
  add_to(pending, task.score, task.id)
  if not best_added or task.score < best_added then best_added = task.score end
  save_task(task)
end
