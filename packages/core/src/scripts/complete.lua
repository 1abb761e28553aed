-- complete: ends runs with a result.
-- GUARANTEE: accepted when worker and fence match the task's open run, wherever a reap has put the task meanwhile
--   (DESIGN P2); asked again after a lost reply it answers the same. The last child's completion resumes its parent.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at worker lock_keys timeline_ms
-- ROWS: id fence result_ms counters result
-- REPLY: completed <now> { completed | lease_lost | cancelled | missing }…
-- EVENT: completed <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock record record_bytes unit totals timeline line message gate lease feed identity errors fan_in reopen
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
  local result, counters = ARGV[at + row_result], ARGV[at + row_counters]
  if result ~= '' then
    redis.call('SET', base .. 'result:' .. id, result, 'PX', ARGV[at + row_result_ms])
  else
    free_identity(task)
  end
  -- A child is forgotten with its parent, so only tasks of their own enter the retention index.
  if not child then add_to(finished, now_text, id) end
  save_task(task)
  if counters ~= '' then count_counters(counters) end
  if timeline_ms > 0 then note(id, 'completed', { run = task[FENCE], worker_id = worker }) end
  moved[#moved + 1] = id
  if child then child_ended(id, 'completed') end
end

local starts, plain_count, leases, ended = {}, 0, {}, {}
local heads = {}
for flags = 0, PLAIN_FLAGS_END - 1 do heads[flags] = string.char(RECORD_VERSION, COMPLETED, bit.band(flags, bit.bnot(RUN_OPEN))) end

-- The record as it is after completion, where the row is a plain task's and its holder's; nil for all others.
local function completed_record(id, bytes, at)
  local version, state, flags = string.byte(bytes, 1, 3)
  if state ~= PROCESSING or flags >= PLAIN_FLAGS_END or flags % 2 == 0 or version ~= RECORD_VERSION or is_child(id) then return nil end
  if string.sub(bytes, RECORD_BYTES + 1) ~= worker or fence_of(string.sub(bytes, 14, 17)) ~= tonumber(ARGV[at + row_fence]) then return nil end
  -- Without a result its identity must be freed.
  if flags >= HAS_IDENTITY and ARGV[at + row_result] == '' then return nil end
  local started = string.sub(bytes, 37, 42)
  starts[started] = (starts[started] or 0) + 1
  return heads[flags] .. string.sub(bytes, 4, 30) .. now_bytes .. string.sub(bytes, 37, 48) .. WHOLE_PROGRESS .. worker
end

local function complete_plain(id, at)
  plain_count = plain_count + 1
  leases[plain_count], moved[plain_count] = id, id
  ended[2 * plain_count - 1], ended[2 * plain_count] = now_text, id
  if lock_keys == 1 then drop_lock(id) end
  local result, counters = ARGV[at + row_result], ARGV[at + row_counters]
  if result ~= '' then redis.call('SET', base .. 'result:' .. id, result, 'PX', ARGV[at + row_result_ms]) end
  if counters ~= '' then count_counters(counters) end
  if timeline_ms > 0 then note(id, 'completed', { run = tonumber(ARGV[at + row_fence]), worker_id = worker }) end
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
local packed = read_records(ids)
local function take_plain(from, to, bucket)
  local stored = {}
  for index = from, to do
    local id, bytes = ids[index], packed[index]
    local record = bytes and completed_record(id, bytes, first_row[id])
    if record then
      plain[first_row[id]] = true
      complete_plain(id, first_row[id])
      stored[#stored + 1], stored[#stored + 2] = id, record
    end
  end
  if #stored > 0 then redis.call('HSET', base .. 'tasks:' .. bucket, unpack(stored)) end
end
local from = 1
while from <= #ids do
  local bucket, to = bucket_of(ids[from]), from
  while to < #ids and bucket_of(ids[to + 1]) == bucket do to = to + 1 end
  take_plain(from, to, bucket)
  from = to + 1
end
if plain_count > 0 then
  redis.call('ZREM', processing, unpack(leases))
  redis.call('ZADD', finished, unpack(ended))
  add('completed', plain_count)
  count_plain(plain_count, PROCESSING, COMPLETED)
  for started, amount in pairs(starts) do add_duration('run:', milliseconds_since(started), amount) end
end

local answer = { 'completed', now_text }
for at = ROWS_FROM, #ARGV, ROW_WIDTH do
  local word = 'completed'
  if not plain[at] then
    local fence = tonumber(ARGV[at + row_fence])
    local task = load_task(ARGV[at + row_id])
    word = 'lease_lost'
    if not task then
      word = 'missing'
    elseif holds(task, worker, fence) then
      accept(task, at)
      word = 'completed'
    elseif task[STATE] == COMPLETED and task[FENCE] == fence and task[WORKER] == worker then
      word = 'completed'
    elseif task[STATE] == CANCELLED and task[FENCE] == fence and task[WORKER] == worker then
      word = 'cancelled'
    end
  end
  answer[#answer + 1] = word
end
finish('completed')
return answer
