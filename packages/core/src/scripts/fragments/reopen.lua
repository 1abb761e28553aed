-- A dead child comes back to life, by a revival or by its holder's late result: its parent waits for it again.
local function identity_taken(task)
  if not has(task, HAS_IDENTITY) then return false end
  local identity = load_header(task).identity
  local holder = redis.call('HGET', identity_key(identity), identity)
  if holder and holder ~= task[ID] then
    local other = load_task(holder)
    if other and (other[STATE] < COMPLETED or (other[STATE] == COMPLETED and redis.call('EXISTS', base .. 'result:' .. holder) == 1)) then
      return true
    end
  end
  redis.call('HSET', identity_key(identity), identity, task[ID])
  return false
end

local function clean_counts(task)
  task[ATTEMPTS], task[CRASHES], task[DEFERRED_SINCE], task[PROGRESS] = 0, 0, 0, 0
end

-- Has the parent wait for its child again, where it had stopped waiting. Answers why that cannot be, or nothing.
local function reopen_parent(id)
  local parent = load_task(parent_of(id))
  if not parent or parent[STATE] == CANCELLED then return 'parent_gone' end
  local was, ended = parent[STATE], children_ended(parent[ID])
  if was >= COMPLETED and ended and identity_taken(parent) then return 'identity_taken' end
  redis.call('HINCRBY', children_key(parent[ID]), 'failed', -1)
  -- While children are still to come, its own fan-out will have it wait.
  if was == WAITING or not ended then return nil end
  if was == DEAD_LETTER then
    unfile_dead(parent)
    clean_counts(parent)
  else
    leave_place(parent)
  end
  count_move(parent, was, WAITING)
  if was == PROCESSING then redis.call('PUBLISH', base .. 'control', 'lost ' .. parent[ID] .. ' ' .. parent[FENCE]) end
  parent[STATE] = WAITING
  parent[SINCE] = now
  parent[FENCE] = parent[FENCE] + 1
  clear_flag(parent, RUN_OPEN)
  redis.call('DEL', base .. 'result:' .. parent[ID])
  save_task(parent)
  note(parent[ID], 'revived', { detail = id })
  moved[#moved + 1] = parent[ID]
  return nil
end
