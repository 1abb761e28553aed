-- promote: puts scheduled and retrying tasks in line whose time has come.
-- GUARANTEE: at most `limit` tasks a call; each at its own score.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at limit timeline_ms
-- REPLY: promoted <how many> <next due time or ->
-- EVENT: promoted <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock record unit totals timeline line feed
local ids = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, limit)
load_tasks(ids)
for _, id in ipairs(ids) do
  remove_from(due, id)
  local task = load_task(id)
  if not task or (task[STATE] ~= SCHEDULED and task[STATE] ~= RETRYING) then
    add('repaired:due_without_record')
  else
    count_move(id, task[STATE], PENDING)
    put_in_line(task, task[SINCE])
    note(id, 'promoted')
    moved[#moved + 1] = id
  end
end
finish('promoted')
local next_due = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')
return { 'promoted', tostring(#moved), next_due[2] or '-' }
