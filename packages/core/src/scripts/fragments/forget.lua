-- Removes every trace of a task that has ended, children first, at most `budget` tasks in all.
local function forget_one(task)
  if has(task, HAS_TAGS) then
    for kind, value in pairs(load_header(task).tags or {}) do remove_from(base .. 'tag:' .. kind .. ':' .. value, task[ID]) end
  end
  free_identity(task)
  if task[STATE] == DEAD_LETTER then unfile_dead(task) else leave_place(task) end
  count_move(task, task[STATE], nil)
  redis.call('HDEL', base .. 'tasks:' .. task[BUCKET], task[ID])
  redis.call('HDEL', base .. 'messages:' .. task[BUCKET], message_field(task[ID]))
  redis.call('HDEL', base .. 'errors:' .. task[BUCKET], task[ID])
  redis.call('DEL', base .. 'events:' .. task[ID], base .. 'result:' .. task[ID])
  loaded[task[ID]] = false
end

-- Returns how many tasks it removed and whether the task itself is gone.
local function forget(task, budget)
  local removed = 0
  if has(task, IS_PARENT) then
    local key = children_key(task[ID])
    local reply = redis.call('HMGET', key, 'total', 'forgotten')
    local total, done = tonumber(reply[1]) or 0, tonumber(reply[2]) or 0
    while done < total and removed < budget do
      done = done + 1
      removed = removed + 1
      local child = load_task(string.format('%s.%05d', task[ID], done))
      if child then forget_one(child) end
    end
    redis.call('HSET', key, 'forgotten', done)
    if done < total or removed >= budget then return removed, false end
    redis.call('DEL', key)
  end
  forget_one(task)
  return removed + 1, true
end
