-- fan_out: a running task hands its work to children and waits for them.
-- GUARANTEE: the expected total stands before the first child, and a child submitted twice is submitted once, so a crash
--   between two calls neither doubles nor loses one. With `last` 1 the run closes and the parent waits, or goes straight
--   back in line when every child has already ended.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at id worker fence total last strict max_retries crash_budget timeline_ms
-- ROWS: number header payload
-- REPLY: fanned_out <state of the parent> | lease_lost | missing | children_ended
-- EVENT: fanned_out <id>…
-- INCLUDE: clock layout buckets record unit histogram bands totals timeline line message gate lease feed identity errors fan_in
local parent = load_task(id)
if not parent then return { 'missing' } end
local closed_before = parent[FENCE] == fence and parent[WORKER] == worker and not has(parent, RUN_OPEN) and has(parent, IS_PARENT)
if closed_before and (parent[STATE] == WAITING or parent[STATE] == PENDING) then return { 'fanned_out', STATE_NAMES[parent[STATE]] } end
if parent[STATE] ~= PROCESSING or not holds(parent, worker, fence) then return { 'lease_lost' } end

if not has(parent, IS_PARENT) then
  set_flag(parent, IS_PARENT)
  redis.call('HSET', children_key(id), 'total', total, 'completed', 0, 'failed', 0, 'strict', strict, 'made', 0)
  save_task(parent)
else
  -- `made` is there until the family is whole. A run that was interrupted before may come to another number of children this
  -- time, but what has been made is there.
  local before = tonumber(redis.call('HGET', children_key(id), 'made'))
  if before then
    redis.call('HSET', children_key(id), 'total', math.max(total, before))
  elseif children_ended(id) then
    return { 'children_ended' }
  end
end

local made = 0
local row_count = (#ARGV - ROWS_FROM + 1) / ROW_WIDTH
for index = 0, row_count - 1 do
  local at = ROWS_FROM + index * ROW_WIDTH
  local child_id = string.format('%s.%05d', id, tonumber(ARGV[at + row_number]))
  local child = new_task(child_id, bucket_of(child_id), PENDING, parent[PRIORITY], parent[SCORE], max_retries, crash_budget)
  local message = ARGV[at + row_header] .. '\n' .. ARGV[at + row_payload]
  if redis.call('HSETNX', base .. 'messages:' .. child[BUCKET], message_field(child[ID]), message) == 1 then
    loaded[child[ID]] = child
    put_in_line(child, now)
    count_move(child, nil, PENDING)
    add('child:submitted')
    moved[#moved + 1] = child[ID]
    made = made + 1
  end
end

if last == 1 then
  redis.call('HDEL', children_key(id), 'made')
  drop_lease(parent)
  clear_flag(parent, RUN_OPEN)
  count_move(parent, PROCESSING, WAITING)
  parent[STATE] = WAITING
  parent[SINCE] = now
  save_task(parent)
  note(id, 'fanned_out', { run = fence, worker_id = worker, detail = tostring(total) })
  moved[#moved + 1] = id
  local ended, spoiled = children_ended(id)
  if ended then resume_parent(parent, spoiled) end
end
if last ~= 1 then redis.call('HINCRBY', children_key(id), 'made', made) end
finish('fanned_out')
return { 'fanned_out', STATE_NAMES[parent[STATE]] }
