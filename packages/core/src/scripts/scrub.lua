-- scrub: looks over a step of the records and mends what contradicts itself (DESIGN P12).
-- GUARANTEE: changes only what no order of verbs can have left: a record whose state names a place that it is not in, and a
--   lock key without a TTL. At most about `limit` records a call; a running task without a lease falls due at once.
-- KEYS: base pending due finished processing dead counts totals locks
-- ARGV: sequence_at bucket cursor limit lease_ms lock_keys timeline_ms
-- REPLY: scrubbed <next cursor> <how many mended>
-- EVENT: repaired <id>…
-- FLAGS: allow-oom
-- INCLUDE: clock layout buckets record unit histogram bands totals timeline line message gate lease feed
local mended = 0
local function mend(what, id)
  add('repaired:' .. what)
  note(id, 'released', { detail = what })
  mended = mended + 1
  moved[#moved + 1] = id
end

local function look(task)
  local id, state = task[ID], task[STATE]
  if state == PROCESSING then
    if not redis.call('ZSCORE', processing, id) then
      add_to(processing, now, id)
      mend('run_without_lease', id)
    end
    if lock_keys == 1 and redis.call('PTTL', locks .. id) == -1 then
      redis.call('PEXPIRE', locks .. id, lease_ms)
      mend('lock_without_ttl', id)
    end
  elseif state == PENDING then
    if has(task, PARKED) then
      local key = gate_of(task).key
      if not redis.call('ZSCORE', parked_key(key), id) then
        clear_flag(task, PARKED)
        put_in_line(task, task[SINCE])
        mend('parked_without_place', id)
      elseif not redis.call('ZSCORE', throttled, key) and redis.call('SCARD', holders_key(key)) == 0 then
        unpark_one(key)
        mend('parked_without_holder', id)
      end
    elseif not redis.call('ZSCORE', pending, id) then
      put_in_line(task, task[SINCE])
      mend('pending_without_place', id)
    end
  elseif (state == SCHEDULED or state == RETRYING) and not redis.call('ZSCORE', due, id) then
    add_to(due, task[SINCE], id)
    mend('due_without_place', id)
  elseif state == DEAD_LETTER and not redis.call('ZSCORE', dead, id) then
    add_to(dead, task[SINCE], id)
    mend('dead_without_place', id)
  elseif (state == COMPLETED or state == CANCELLED) and not is_child(id) and not redis.call('ZSCORE', finished, id) then
    add_to(finished, task[SINCE], id)
    mend('ended_without_place', id)
  elseif state == WAITING then
    local reply = redis.call('HMGET', base .. 'children:' .. id, 'total', 'completed', 'failed')
    local total = tonumber(reply[1])
    if not total or (tonumber(reply[2]) or 0) + (tonumber(reply[3]) or 0) >= total then
      count_move(task, WAITING, PENDING)
      put_in_line(task, now)
      mend('waiting_for_nobody', id)
    end
  end
end

-- Holders of a gate that no longer run would keep its slots for ever.
local function look_at_gate(task)
  if task[STATE] == PROCESSING or not has(task, HAS_GATE) then return end
  local gate = gate_of(task)
  if gate.limit and redis.call('SREM', holders_key(gate.key), task[ID]) == 1 then
    unpark_one(gate.key)
    mend('gate_without_run', task[ID])
  end
end

local reply = redis.call('HSCAN', base .. 'tasks:' .. bucket, cursor, 'COUNT', limit)
local flat = reply[2]
for index = 1, #flat, 2 do
  local id = flat[index]
  local task = load_task(id)
  -- What this call has already moved is written at its end, so its place cannot be judged now.
  if task and not task[CHANGED] then
    look(task)
    look_at_gate(task)
  end
end
finish('repaired')
return { 'scrubbed', reply[1], tostring(mended) }
