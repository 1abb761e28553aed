-- submit: puts new tasks in line, or says which task already does the same work.
-- GUARANTEE: once it has answered `submitted`, each task is in exactly one state. Sent again under the same request id,
--   it answers the same and adds nothing.
-- KEYS: base pending due finished processing dead counts totals locks replay
-- ARGV: sequence_at id_head request_id replay_ms depth_limit clock_weight timeline_ms
-- ROWS: suffix score priority delay_ms max_retries crash_budget identity header payload
-- REPLY: submitted <now> { id, state, duplicate 0|1, priority, created }… | queue_full <depth>
-- EVENT: submitted <id>…
-- INCLUDE: clock record totals timeline feed line lease message identity replay
local kept = replayed_answer()
if kept then return kept end

local row_count = (#ARGV - ROWS_FROM + 1) / ROW_WIDTH
if depth_limit > 0 then
  local depth = redis.call('ZCARD', pending) + redis.call('ZCARD', due)
  if depth + row_count > depth_limit then return { 'queue_full', tostring(depth) } end
end

local function live_or_result_held(task)
  if task.state < COMPLETED then return true end
  return task.state == COMPLETED and redis.call('EXISTS', base .. 'result:' .. task.id) == 1
end

-- The task that already has this identity, or nil when it may be taken.
local function holder_of(identity)
  local id = redis.call('HGET', identity_key(identity), identity)
  local task = id and load_task(id)
  if task and live_or_result_held(task) then return task end
  return nil
end

-- A duplicate with a better priority lifts the task that exists.
local function lift(task, priority, score)
  if task.state >= COMPLETED or score >= task.score then return end
  task.priority, task.score = priority, score
  if task.state == PENDING then put_in_line(task, task.since) end
  save_task(task)
  note(task.id, 'reprioritized', { detail = tostring(priority) })
end

local first = redis.call('INCRBY', base .. 'sequence', row_count) - row_count
local DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
local function base36(number)
  local text = ''
  while number > 0 do
    local digit = number % 36
    text = string.sub(DIGITS, digit + 1, digit + 1) .. text
    number = (number - digit) / 36
  end
  return string.rep('0', 12 - #text) .. text
end

local answer = { 'submitted', tostring(now) }
local function say(task, duplicate)
  local at = #answer
  answer[at + 1], answer[at + 2], answer[at + 3] = task.id, STATE_NAMES[task.state], duplicate
  answer[at + 4], answer[at + 5] = tostring(task.priority), tostring(task.created)
end

local function create(at, index)
  local delay = tonumber(ARGV[at + row_delay_ms])
  local identity, header = ARGV[at + row_identity], ARGV[at + row_header]
  local task = {
    id = id_head .. base36(first + index) .. '-' .. ARGV[at + row_suffix],
    flags = 0, state = SCHEDULED,
    priority = tonumber(ARGV[at + row_priority]),
    score = tonumber(ARGV[at + row_score]) + clock_weight * now,
    fence = 0, attempts = 0, crashes = 0,
    max_retries = tonumber(ARGV[at + row_max_retries]),
    crash_budget = tonumber(ARGV[at + row_crash_budget]),
    created = now, since = now, started = 0, deferred_since = 0, progress = 0, worker = '',
  }
  task.bucket = bucket_of(task.id)
  if identity ~= '' then
    set_flag(task, HAS_IDENTITY)
    redis.call('HSET', identity_key(identity), identity, task.id)
  end
  if string.find(header, '"tags":', 1, true) then
    set_flag(task, HAS_TAGS)
    for kind, value in pairs(cjson.decode(header).tags) do
      redis.call('ZADD', base .. 'tag:' .. kind .. ':' .. value, now, task.id)
    end
  end
  redis.call('HSET', base .. 'messages:' .. task.bucket, task.id, header .. '\n' .. ARGV[at + row_payload])
  if delay > 0 then
    task.since = now + delay
    redis.call('ZADD', due, task.since, task.id)
  else
    put_in_line(task, now)
  end
  save_task(task)
  count_move(task.id, nil, task.state)
  add('submitted')
  note(task.id, 'submitted')
  moved[#moved + 1] = task.id
  return task
end

for index = 0, row_count - 1 do
  local at = ROWS_FROM + index * ROW_WIDTH
  local identity = ARGV[at + row_identity]
  local holder = identity ~= '' and holder_of(identity)
  if holder then
    lift(holder, tonumber(ARGV[at + row_priority]), tonumber(ARGV[at + row_score]) + clock_weight * now)
    add('duplicates')
    say(holder, '1')
  else
    say(create(at, index), '0')
  end
end

write_totals()
wake_if_head_improved()
publish_feed('submitted')
keep_answer(answer)
return answer
