-- submit: puts new tasks in line, or says which task already does the same work.
-- GUARANTEE: once it has answered `submitted`, each task is in exactly one state. Sent again under the same request id,
--   it answers the same and adds nothing.
-- KEYS: base pending due finished processing dead counts totals locks replay
-- ARGV: sequence_at id_head request_id replay_ms depth_limit clock_weight timeline_ms
-- ROWS: suffix score options identity message
-- OPTIONS: priority,delay_ms,max_retries,crash_budget,flags,tags (plain/submit.lua, `read_tags`)
--   Flags: `g` where the header has a gate; `t` for one without a turn of the fair order, which is only told what it duplicates.
-- REPLY: submitted <now> <ids, a space between>
--   | mixed <now> { id | =id state priority created lifted of the duplicate | !queue_full | !turn_needed }…
--   | queue_full, for all. `depth_limit` is the most that may wait in this shard, -1 for no limit.
-- EVENT: submitted <id>…, and reprioritized <id>… for those that a duplicate has lifted
-- PLAIN: clock layout buckets histogram bands replay plain
-- INCLUDE: record unit totals timeline line message gate lease feed identity
local messages = {}
local function store_message(task, message)
  local list = messages[task[BUCKET]]
  if not list then
    list = { base .. 'messages:' .. task[BUCKET] }
    messages[task[BUCKET]] = list
  end
  list[#list + 1] = message_field(task[ID])
  list[#list + 1] = message
end

local function create(at, sequence)
  local options = read_options(ARGV[at + row_options])
  local identity, message = ARGV[at + row_identity], ARGV[at + row_message]
  local id = id_of(sequence, ARGV[at + row_suffix])
  local score = tonumber(ARGV[at + row_score]) + clock_weight * now
  local task = new_task(id, math.floor(sequence / 4096), SCHEDULED, options.priority, score, options.max_retries, options.crash_budget)
  loaded[id] = task
  if identity ~= '' then
    set_flag(task, HAS_IDENTITY)
    redis.call('HSET', identity_key(identity), identity, id)
  end
  if #options.tags > 0 then set_flag(task, HAS_TAGS) end
  for place = 1, #options.tags do add_to(options.tags[place], now, id) end
  if options.gated then set_flag(task, HAS_GATE) end
  store_message(task, message)
  if options.delay > 0 then
    task[SINCE] = now + options.delay
    add_to(due, task[SINCE], id)
    save_task(task)
  else
    put_in_line(task, now)
  end
  count_move(task, nil, task[STATE])
  note(id, 'submitted')
  moved[#moved + 1] = id
  return id
end

-- The task that already has this identity, or nil when it may be taken.
local function holder_of(identity)
  local id = redis.call('HGET', identity_key(identity), identity)
  local task = id and load_task(id)
  if not task then return nil end
  if task[STATE] < COMPLETED then return task end
  if task[STATE] == COMPLETED and redis.call('EXISTS', base .. 'result:' .. id) == 1 then return task end
  return nil
end

local lifted_ids = {}

-- A duplicate with a better priority lifts the task that exists: '1', else '0'.
local function lift(task, at)
  local score = tonumber(ARGV[at + row_score]) + clock_weight * task[CREATED]
  if task[STATE] >= COMPLETED or score >= task[SCORE] then return '0' end
  local priority = read_options(ARGV[at + row_options]).priority
  if task[STATE] == PENDING then
    count_band(task[PRIORITY], -1)
    count_band(priority, 1)
  end
  task[PRIORITY], task[SCORE] = priority, score
  move_in_line(task)
  -- A waiting one is moved once more, with its children, by `reprioritize`, which then says so.
  if task[STATE] ~= WAITING then
    note(task[ID], 'reprioritized', { detail = tostring(task[PRIORITY]) })
    lifted_ids[#lifted_ids + 1] = task[ID]
  end
  return '1'
end

local first = redis.call('INCRBY', base .. 'sequence', row_count) - row_count
local answer = { 'mixed', now_text }
for index = 0, row_count - 1 do
  local at = ROWS_FROM + index * ROW_WIDTH
  local identity = ARGV[at + row_identity]
  local holder = identity ~= '' and holder_of(identity)
  local options = read_options(ARGV[at + row_options])
  local needs_turn = not holder or (holder[STATE] < COMPLETED and options.priority < holder[PRIORITY])
  if options.turnless and needs_turn then
    answer[index + 3] = '!turn_needed'
  elseif holder then
    local lifted = options.turnless and '0' or lift(holder, at)
    add('duplicates')
    answer[index + 3] = table.concat({ '=' .. holder[ID], STATE_NAMES[holder[STATE]], holder[PRIORITY], holder[CREATED], lifted }, ' ')
  elseif room <= 0 then
    answer[index + 3] = '!queue_full'
  else
    room = room - 1
    answer[index + 3] = create(at, first + index)
  end
end
for _, list in pairs(messages) do redis.call('HSET', unpack(list)) end
if #moved > 0 then add('submitted', #moved) end
finish('submitted')
if #lifted_ids > 0 then redis.call('PUBLISH', base .. 'feed', 'reprioritized ' .. table.concat(lifted_ids, ' ')) end
keep_answer(answer)
return answer
