-- submit: puts new tasks in line, or says which task already does the same work.
-- GUARANTEE: once it has answered `submitted`, each task is in exactly one state. Sent again under the same request id,
--   it answers the same and adds nothing.
-- KEYS: base pending due finished processing dead counts totals locks replay
-- ARGV: sequence_at id_head request_id replay_ms depth_limit clock_weight timeline_ms
-- ROWS: suffix score options identity message
-- OPTIONS: priority,delay_ms,max_retries,crash_budget, then `t` where the header has tags and `g` where it has a gate
-- REPLY: submitted <now> { id | =id state priority created of the duplicate }… | queue_full <depth>
-- EVENT: submitted <id>…
-- INCLUDE: clock record unit totals timeline line message gate lease feed identity replay
local kept = replayed_answer()
if kept then return kept end

local row_count = (#ARGV - ROWS_FROM + 1) / ROW_WIDTH
if depth_limit > 0 then
  local waiting = redis.call('HMGET', counts, 'pending', 'scheduled', 'retrying')
  local depth = (tonumber(waiting[1]) or 0) + (tonumber(waiting[2]) or 0) + (tonumber(waiting[3]) or 0)
  if depth + row_count > depth_limit then return { 'queue_full', tostring(depth) } end
end

-- Rows mostly share their options, so each text is read once.
local known_options = {}
local function read_options(text)
  local options = known_options[text]
  if not options then
    local priority, delay, max_retries, crash_budget, tagged, gated = string.match(text, '^(%d+),(%d+),(%d+),(%d+)(t?)(g?)$')
    options = {
      priority = tonumber(priority), delay = tonumber(delay), max_retries = tonumber(max_retries),
      crash_budget = tonumber(crash_budget), tagged = tagged == 't', gated = gated == 'g',
    }
    known_options[text] = options
  end
  return options
end

-- Twelve base-36 digits; the upper ten change once in 1,296 tasks.
local DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
local upper, upper_text = nil, nil
local function sequence_text(sequence)
  local block = math.floor(sequence / 1296)
  if block ~= upper then
    upper, upper_text = block, ''
    local rest = block
    while rest > 0 do
      local digit = rest % 36
      upper_text = string.sub(DIGITS, digit + 1, digit + 1) .. upper_text
      rest = (rest - digit) / 36
    end
    upper_text = id_head .. string.rep('0', 10 - #upper_text) .. upper_text
  end
  local low = sequence % 1296
  local first, second = math.floor(low / 36) + 1, low % 36 + 1
  return upper_text .. string.sub(DIGITS, first, first) .. string.sub(DIGITS, second, second)
end

local messages = {}
local function store_message(task, message)
  local list = messages[task[BUCKET]]
  if not list then
    list = { base .. 'messages:' .. task[BUCKET] }
    messages[task[BUCKET]] = list
  end
  list[#list + 1] = task[ID]
  list[#list + 1] = message
end

local function index_tags(task, message)
  set_flag(task, HAS_TAGS)
  for kind, value in pairs(cjson.decode(string.sub(message, 1, string.find(message, '\n', 1, true) - 1)).tags) do
    add_to(base .. 'tag:' .. kind .. ':' .. value, now, task[ID])
  end
end

local function create(at, sequence)
  local options = read_options(ARGV[at + row_options])
  local identity, message = ARGV[at + row_identity], ARGV[at + row_message]
  local id = sequence_text(sequence) .. '-' .. ARGV[at + row_suffix]
  local score = tonumber(ARGV[at + row_score]) + clock_weight * now
  local task = new_task(id, math.floor(sequence / 4096), SCHEDULED, options.priority, score, options.max_retries, options.crash_budget)
  loaded[id] = task
  if identity ~= '' then
    set_flag(task, HAS_IDENTITY)
    redis.call('HSET', identity_key(identity), identity, id)
  end
  if options.tagged then index_tags(task, message) end
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

-- A duplicate with a better priority lifts the task that exists.
local function lift(task, at)
  local score = tonumber(ARGV[at + row_score]) + clock_weight * task[CREATED]
  if task[STATE] >= COMPLETED or score >= task[SCORE] then return end
  local priority = read_options(ARGV[at + row_options]).priority
  if task[STATE] == PENDING then
    count_band(task[PRIORITY], -1)
    count_band(priority, 1)
  end
  task[PRIORITY], task[SCORE] = priority, score
  move_in_line(task)
  note(task[ID], 'reprioritized', { detail = tostring(task[PRIORITY]) })
end

local first = redis.call('INCRBY', base .. 'sequence', row_count) - row_count
local answer = { 'submitted', tostring(now) }
for index = 0, row_count - 1 do
  local at = ROWS_FROM + index * ROW_WIDTH
  local identity = ARGV[at + row_identity]
  local holder = identity ~= '' and holder_of(identity)
  if holder then
    lift(holder, at)
    add('duplicates')
    answer[index + 3] = table.concat({ '=' .. holder[ID], STATE_NAMES[holder[STATE]], holder[PRIORITY], holder[CREATED] }, ' ')
  else
    answer[index + 3] = create(at, first + index)
  end
end
for _, list in pairs(messages) do redis.call('HSET', unpack(list)) end
if #moved > 0 then add('submitted', #moved) end
finish('submitted')
keep_answer(answer)
return answer
