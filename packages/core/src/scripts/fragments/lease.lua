-- The lease's two places, the entry in `processing` and the lock key, and the slot of its gate.
local function drop_lock(id)
  locks_to_drop[#locks_to_drop + 1] = locks .. id
end

local function drop_lease(task)
  remove_from(processing, task[ID])
  drop_lock(task[ID])
  leave_gate(task)
end

-- Takes a task out of whichever sorted set its state keeps it in.
local function leave_place(task)
  local state = task[STATE]
  if state == PROCESSING then
    drop_lease(task)
  elseif state == PENDING then
    if has(task, PARKED) then
      clear_flag(task, PARKED)
      redis.call('ZREM', parked_key(gate_of(task).key), task[ID])
    else
      remove_from(pending, task[ID])
      pass_turn_on(task)
    end
  elseif state == SCHEDULED or state == RETRYING then
    remove_from(due, task[ID])
  elseif state == DEAD_LETTER then
    remove_from(dead, task[ID])
  elseif state == COMPLETED or state == CANCELLED then
    remove_from(finished, task[ID])
  end
end

-- A waiting task moves to the place that its new score gives it.
local function move_in_line(task)
  if task[STATE] ~= PENDING then
    save_task(task)
  elseif has(task, PARKED) then
    redis.call('ZADD', parked_key(gate_of(task).key), task[SCORE], task[ID])
    save_task(task)
  else
    put_in_line(task, task[SINCE])
    pass_turn_on(task)
  end
end
