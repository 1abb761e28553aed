-- The lease's two places: the entry in `processing` and the lock key.
local function drop_lock(id)
  locks_to_drop[#locks_to_drop + 1] = locks .. id
end

local function drop_lease(id)
  remove_from(processing, id)
  drop_lock(id)
end

-- Takes a task out of whichever sorted set its state keeps it in.
local function leave_place(task)
  local state = task[STATE]
  if state == PROCESSING then
    drop_lease(task[ID])
  elseif state == PENDING then
    remove_from(pending, task[ID])
  elseif state == SCHEDULED or state == RETRYING then
    remove_from(due, task[ID])
  elseif state == DEAD_LETTER then
    remove_from(dead, task[ID])
  elseif state == COMPLETED or state == CANCELLED then
    remove_from(finished, task[ID])
  end
end
