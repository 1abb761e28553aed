-- Dedup identities (DESIGN P8), in bounded hashes by their first two characters.
local function identity_key(identity)
  return base .. 'identity:' .. string.sub(identity, 1, 2)
end

-- Takes back the identity that the task's death had freed, where no other task has taken it since.
local function take_back_identity(task)
  if not has(task, HAS_IDENTITY) then return end
  local identity = load_header(task).identity
  if identity then redis.call('HSETNX', identity_key(identity), identity, task[ID]) end
end

-- Frees the task's identity, unless another task has taken it since.
local function free_identity(task)
  if not has(task, HAS_IDENTITY) then return end
  local identity = load_header(task).identity
  if identity and redis.call('HGET', identity_key(identity), identity) == task[ID] then
    redis.call('HDEL', identity_key(identity), identity)
  end
end
