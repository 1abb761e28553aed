-- revive: puts dead letters back in line.
-- GUARANTEE: each returns to its own place with clean counts and the fence it had; an identity that another live task has
--   taken since refuses it. A revived child re-opens its finished parent: the parent waits again and its fence rises.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at timeline_ms
-- ROWS: id
-- REPLY: revived <now> { revived | not_dead | identity_taken | parent_gone | missing }…
-- EVENT: revived <id>…
-- INCLUDE: clock record unit totals timeline line feed lease message identity errors fan_in
local function identity_taken(task)
  if not has(task, HAS_IDENTITY) then return false end
  local identity = load_header(task).identity
  local holder = redis.call('HGET', identity_key(identity), identity)
  if holder and holder ~= task.id then
    local other = load_task(holder)
    if other and (other.state < COMPLETED or (other.state == COMPLETED and redis.call('EXISTS', base .. 'result:' .. holder) == 1)) then
      return true
    end
  end
  redis.call('HSET', identity_key(identity), identity, task.id)
  return false
end

local function reopen_parent(id)
  local parent = load_task(parent_of(id))
  if not parent or parent.state == CANCELLED or parent.state == DEAD_LETTER then return false end
  redis.call('HINCRBY', children_key(parent.id), 'failed', -1)
  if parent.state == WAITING then return true end
  leave_place(parent)
  count_move(parent.id, parent.state, WAITING)
  if parent.state == PROCESSING then redis.call('PUBLISH', base .. 'control', 'lost ' .. parent.id .. ' ' .. parent.fence) end
  parent.state = WAITING
  parent.since = now
  parent.fence = parent.fence + 1
  clear_flag(parent, RUN_OPEN)
  redis.call('DEL', base .. 'result:' .. parent.id)
  save_task(parent)
  note(parent.id, 'revived', { detail = id })
  moved[#moved + 1] = parent.id
  return true
end

local function revive(id)
  local task = load_task(id)
  if not task then return 'missing' end
  if task.state ~= DEAD_LETTER then return 'not_dead' end
  if identity_taken(task) then return 'identity_taken' end
  if is_child(id) and not reopen_parent(id) then return 'parent_gone' end
  unfile_dead(task)
  count_move(id, DEAD_LETTER, PENDING)
  task.attempts, task.crashes, task.deferred_since, task.progress = 0, 0, 0, 0
  clear_flag(task, RUN_OPEN)
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
