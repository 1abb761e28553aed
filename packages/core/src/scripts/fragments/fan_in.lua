-- A parent waits until each of its children has ended; the last one's script puts it back in line (DESIGN, fan-in).
local function children_key(parent_id)
  return base .. 'children:' .. parent_id
end

-- Whether all have ended, and whether one of them failed that must not.
local function children_ended(parent_id)
  local reply = redis.call('HMGET', children_key(parent_id), 'total', 'completed', 'failed', 'strict')
  local total, failed = tonumber(reply[1]), tonumber(reply[3]) or 0
  local ended = total ~= nil and (tonumber(reply[2]) or 0) + failed >= total
  return ended, reply[4] == '1' and failed > 0
end

-- A parent that tolerates failed children runs again; a strict one with a failed child is a dead letter.
local function resume_parent(parent, spoiled)
  if spoiled then
    add_error(parent, 0, '{"code":"child_failed","message":"a child task became a dead letter or was cancelled"}')
    count_move(parent, parent[STATE], DEAD_LETTER)
    parent[STATE], parent[SINCE] = DEAD_LETTER, now
    file_dead(parent, 'child_failed')
    free_identity(parent)
    save_task(parent)
    add('dead_lettered')
    note(parent[ID], 'dead_lettered', { code = 'child_failed' })
    moved[#moved + 1] = parent[ID]
    return
  end
  count_move(parent, parent[STATE], PENDING)
  put_in_line(parent, now)
  note(parent[ID], 'children_finished')
  moved[#moved + 1] = parent[ID]
end

-- outcome: 'completed' or 'failed'.
local function child_ended(id, outcome)
  if not is_child(id) then return end
  local parent_id = parent_of(id)
  redis.call('HINCRBY', children_key(parent_id), outcome, 1)
  local ended, spoiled = children_ended(parent_id)
  if not ended then return end
  local parent = load_task(parent_id)
  if parent and parent[STATE] == WAITING then resume_parent(parent, spoiled) end
end
