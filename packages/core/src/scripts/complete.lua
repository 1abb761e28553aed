-- complete: ends runs with a result.
-- GUARANTEE: accepted when worker and fence match the task's open run, wherever a reap has put the task meanwhile
--   (DESIGN P2); asked again after a lost reply it answers the same. The last child's completion resumes its parent.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at worker lock_keys timeline_ms
-- ROWS: id run result
-- RUN: fence,milliseconds that the result is kept,counters as `name=amount,name=amount…`
-- REPLY: completed <now> { completed | lease_lost | cancelled | missing }…, no word where every row is `completed`
-- EVENT: completed <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock record record_bytes unit totals timeline line message gate lease feed identity errors fan_in reopen
-- Rows mostly share what they say of their runs, so each text is read once.
local known_runs = {}
local function read_run(text)
  local run = known_runs[text]
  if not run then
    local fence, result_ms, counters = string.match(text, '^(%d+),(%d+),(.*)$')
    run = { fence = tonumber(fence), fence_bytes = struct.pack('>I4', tonumber(fence)), result_ms = result_ms, counters = counters }
    known_runs[text] = run
  end
  return run
end

local function count_counters(counters)
  for field, amount in string.gmatch(counters, '([^=,]+)=(%d+)') do add('counter:' .. field, tonumber(amount)) end
end

local function accept(task, at)
  local id, child = task[ID], is_child(task[ID])
  if task[STATE] == PROCESSING then
    remove_from(processing, id)
    if lock_keys == 1 then drop_lock(id) end
    leave_gate(task)
  elseif task[STATE] == DEAD_LETTER then
    unfile_dead(task)
    take_back_identity(task)
    -- Its death had been counted on the parent, which may have been assembled without it.
    if child and reopen_parent(id) then redis.call('HINCRBY', children_key(parent_of(id)), 'failed', -1) end
  else
    leave_place(task)
  end
  count_move(task, task[STATE], COMPLETED)
  add(child and 'child:completed' or 'completed')
  add_duration(child and 'child:run:' or 'run:', math.max(0, now - task[STARTED]))
  task[STATE], task[SINCE], task[PROGRESS] = COMPLETED, now, 10000
  clear_flag(task, RUN_OPEN)
  local run, result = read_run(ARGV[at + row_run]), ARGV[at + row_result]
  if result ~= '' then
    redis.call('SET', base .. 'result:' .. id, result, 'PX', run.result_ms)
  else
    free_identity(task)
  end
  -- A child is forgotten with its parent, so only tasks of their own enter the retention index.
  if not child then add_to(finished, now_text, id) end
  save_task(task)
  if run.counters ~= '' then count_counters(run.counters) end
  if timeline_ms > 0 then note(id, 'completed', { run = task[FENCE], worker_id = worker }) end
  moved[#moved + 1] = id
  if child then child_ended(id, 'completed') end
end

local starts, plain_count, leases, ended, lock_names = {}, 0, {}, {}, {}
local heads = {}
for flags = 0, PLAIN_FLAGS_END - 1 do heads[flags] = string.char(RECORD_VERSION, COMPLETED, bit.band(flags, bit.bnot(RUN_OPEN))) end
local tail = struct.pack('>H', 10000) .. worker

-- The record as it is after completion, where the row is a plain task's and its holder's; nil for all others.
local function completed_record(id, bytes, run, result)
  local version, state, flags = string.byte(bytes, 1, 3)
  if state ~= PROCESSING or flags >= PLAIN_FLAGS_END or flags % 2 == 0 or version ~= RECORD_VERSION or is_child(id) then return nil end
  if string.sub(bytes, RECORD_BYTES + 1) ~= worker or string.sub(bytes, 14, 17) ~= run.fence_bytes then return nil end
  -- Without a result its identity must be freed.
  if flags >= HAS_IDENTITY and result == '' then return nil end
  local started = string.sub(bytes, 37, 48)
  starts[started] = (starts[started] or 0) + 1
  return heads[flags] .. string.sub(bytes, 4, 30) .. now_bytes .. started .. tail
end

local function complete_plain(id, run, result)
  plain_count = plain_count + 1
  leases[plain_count] = id
  ended[2 * plain_count - 1], ended[2 * plain_count] = now_text, id
  if lock_keys == 1 then lock_names[plain_count] = locks .. id end
  if result ~= '' then redis.call('SET', base .. 'result:' .. id, result, 'PX', run.result_ms) end
  if run.counters ~= '' then count_counters(run.counters) end
  if timeline_ms > 0 then note(id, 'completed', { run = run.fence, worker_id = worker }) end
end

local ids, first_row = {}, {}
for at = ROWS_FROM, #ARGV, ROW_WIDTH do
  local id = ARGV[at + row_id]
  -- A task named twice in one call takes the long way the second time, when the first is written.
  if not first_row[id] then
    first_row[id] = at
    ids[#ids + 1] = id
  end
end
local plain = {}
local stretches = stretches_of(ids)
local packed = read_fields('tasks:', ids, stretches)
for at = 1, #stretches, 3 do
  local fields, filled = { base .. 'tasks:' .. stretches[at] }, 1
  for index = stretches[at + 1], stretches[at + 2] do
    local id, bytes = ids[index], packed[index]
    local row = first_row[id]
    local run, result = read_run(ARGV[row + row_run]), ARGV[row + row_result]
    local record = bytes and completed_record(id, bytes, run, result)
    if record then
      plain[row] = true
      complete_plain(id, run, result)
      fields[filled + 1], fields[filled + 2] = id, record
      filled = filled + 2
    end
  end
  if filled > 1 then redis.call('HSET', unpack(fields)) end
end
if plain_count > 0 then
  redis.call('ZREM', processing, unpack(leases))
  redis.call('ZADD', finished, unpack(ended))
  if lock_keys == 1 then redis.call('DEL', unpack(lock_names)) end
  add('completed', plain_count)
  count_plain(plain_count, PROCESSING, COMPLETED)
  for started, amount in pairs(starts) do add_duration('run:', milliseconds_since(started), amount) end
end
moved = leases
if ROWS_FROM + ROW_WIDTH * plain_count > #ARGV then
  finish('completed')
  return { 'completed', now_text }
end

local function end_row(at)
  local task, fence = load_task(ARGV[at + row_id]), read_run(ARGV[at + row_run]).fence
  if not task then return 'missing' end
  if holds(task, worker, fence) then
    accept(task, at)
    return 'completed'
  end
  if task[FENCE] ~= fence or task[WORKER] ~= worker then return 'lease_lost' end
  return task[STATE] == COMPLETED and 'completed' or task[STATE] == CANCELLED and 'cancelled' or 'lease_lost'
end

local answer = { 'completed', now_text }
for at = ROWS_FROM, #ARGV, ROW_WIDTH do answer[#answer + 1] = plain[at] and 'completed' or end_row(at) end
finish('completed')
return answer
