-- Dedup identities (DESIGN P8), in bounded hashes by their first two characters.
local function identity_key(identity)
  return base .. 'identity:' .. string.sub(identity, 1, 2)
end

-- Frees the task's identity, unless another task has taken it since.
local function free_identity(task)
  if not has(task, HAS_IDENTITY) then return end
  local identity = load_header(task).identity
  if identity and redis.call('HGET', identity_key(identity), identity) == task.id then
    redis.call('HDEL', identity_key(identity), identity)
  end
end
