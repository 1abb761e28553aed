-- A parent waits until each of its children has ended; the last one's script puts it back in line (DESIGN, fan-in).
local function children_key(parent_id)
  return base .. 'children:' .. parent_id
end

local function children_ended(parent_id)
  local reply = redis.call('HMGET', children_key(parent_id), 'total', 'completed', 'failed')
  local total = tonumber(reply[1])
  return total ~= nil and (tonumber(reply[2]) or 0) + (tonumber(reply[3]) or 0) >= total
end

local function resume_parent(parent)
  count_move(parent[ID], parent[STATE], PENDING)
  put_in_line(parent, now)
  note(parent[ID], 'children_finished')
  moved[#moved + 1] = parent[ID]
end

-- outcome: 'completed' or 'failed'.
local function child_ended(id, outcome)
  if not is_child(id) then return end
  local parent_id = parent_of(id)
  redis.call('HINCRBY', children_key(parent_id), outcome, 1)
  if not children_ended(parent_id) then return end
  local parent = load_task(parent_id)
  if parent and parent[STATE] == WAITING then resume_parent(parent) end
end
