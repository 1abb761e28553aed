-- purge: forgets tasks that have ended, with everything they left.
-- GUARANTEE: removes at most `limit` tasks a call, children counted; `more` asks to be called again with the same row.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at limit timeline_ms
-- ROWS: id
-- REPLY: purged <now> { purged | more | not_final | missing }…
-- EVENT: purged <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock layout buckets record unit histogram bands totals timeline line message gate lease feed identity errors fan_in forget
local answer = { 'purged', tostring(now) }
local budget = limit
for at = ROWS_FROM, #ARGV do
  local id = ARGV[at]
  local task = load_task(id)
  local word = 'missing'
  if task and task[STATE] < COMPLETED then
    word = 'not_final'
  elseif task and budget <= 0 then
    word = 'more'
  elseif task then
    local removed, gone = forget(task, budget)
    budget = budget - removed
    word = gone and 'purged' or 'more'
    if gone then
      add('purged')
      moved[#moved + 1] = id
    end
  end
  answer[#answer + 1] = word
end
finish('purged')
return answer
