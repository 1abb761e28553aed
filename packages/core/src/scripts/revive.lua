-- revive: puts dead letters back in line.
-- GUARANTEE: each returns to its own place with clean counts and the fence it had; an identity that another live task has
--   taken since refuses it. A revived child re-opens its completed or dead parent: the parent waits again and its fence
--   rises.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at timeline_ms
-- ROWS: id
-- REPLY: revived <now> { revived | not_dead | identity_taken | parent_gone | missing }…
-- EVENT: revived <id>…
-- INCLUDE: clock record unit totals timeline line message gate lease feed identity errors fan_in
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

local function revive(id)
  local task = load_task(id)
  if not task then return 'missing' end
  if task[STATE] ~= DEAD_LETTER then return 'not_dead' end
  if identity_taken(task) then return 'identity_taken' end
  local refusal = is_child(id) and reopen_parent(id)
  if refusal then return refusal end
  unfile_dead(task)
  count_move(task, DEAD_LETTER, PENDING)
  clean_counts(task)
  clear_flag(task, RUN_OPEN)
  task[WORKER] = ''
  put_in_line(task, now)
  add('revived')
  note(id, 'revived')
  moved[#moved + 1] = id
  return 'revived'
end

local answer = { 'revived', tostring(now) }
for at = ROWS_FROM, #ARGV do answer[#answer + 1] = revive(ARGV[at]) end
finish('revived')
return answer
