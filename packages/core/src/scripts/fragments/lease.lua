-- The lease's two places: the entry in `processing` and the lock key.
local function drop_lease(id)
  redis.call('ZREM', processing, id)
  redis.call('DEL', locks .. id)
end

-- Takes a task out of whichever sorted set its state keeps it in.
local function leave_place(task)
  if task.state == PENDING then
    redis.call('ZREM', pending, task.id)
  elseif task.state == PROCESSING then
    drop_lease(task.id)
  elseif task.state == SCHEDULED or task.state == RETRYING then
    redis.call('ZREM', due, task.id)
  elseif task.state == DEAD_LETTER then
    redis.call('ZREM', dead, task.id)
  elseif task.state == COMPLETED or task.state == CANCELLED then
    redis.call('ZREM', finished, task.id)
  end
end
