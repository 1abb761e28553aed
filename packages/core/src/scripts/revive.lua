-- revive: puts dead letters back in line.
-- GUARANTEE: each returns to its own place with clean counts and the fence it had; an identity that another live task has
--   taken since refuses it. A revived child re-opens its completed or dead parent: the parent waits again and its fence
--   rises.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at timeline_ms
-- ROWS: id
-- REPLY: revived <now> { revived | not_dead | identity_taken | parent_gone | missing }…
-- EVENT: revived <id>…
-- INCLUDE: clock layout buckets record unit histogram bands totals timeline line message gate lease feed identity errors fan_in reopen
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
  add_of(id, 'revived')
  note(id, 'revived')
  moved[#moved + 1] = id
  return 'revived'
end

local answer = { 'revived', tostring(now) }
for at = ROWS_FROM, #ARGV do answer[#answer + 1] = revive(ARGV[at]) end
finish('revived')
return answer
