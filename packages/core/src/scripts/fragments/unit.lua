-- Unit of work: each task is read once, and everything is written at the end by few commands with many arguments, because
-- the calls cost more than what they do. A script that fails on the way has therefore written nothing of it.
local throttled = base .. 'throttled'
local loaded = {}
local changed = {}
local removals = {}
local additions = {}
local locks_to_drop = {}

-- Reads what is not yet known of these ids.
local function load_tasks(ids)
  local stretches = stretches_of(ids)
  local packed = read_fields('tasks:', ids, stretches)
  for at = 1, #stretches, 3 do
    for index = stretches[at + 1], stretches[at + 2] do
      local id = ids[index]
      if packed[index] and not loaded[id] then loaded[id] = unpack_record(id, stretches[at], packed[index]) end
    end
  end
end

local function load_task(id)
  local task = loaded[id]
  if task ~= nil then return task or nil end
  local bucket = bucket_of(id)
  local packed = redis.call('HGET', base .. 'tasks:' .. bucket, id)
  if not packed then return nil end
  task = unpack_record(id, bucket, packed)
  loaded[id] = task
  return task
end

local function save_task(task)
  if not task[CHANGED] then
    task[CHANGED] = true
    changed[#changed + 1] = task
  end
end

local function add_to(key, score, id)
  local list = additions[key]
  if not list then
    list = {}
    additions[key] = list
  end
  list[#list + 1] = score
  list[#list + 1] = id
end

-- Also takes back what this script was going to add there.
local function remove_from(key, id)
  local added = additions[key]
  if added then
    for at = #added, 2, -2 do
      if added[at] == id then
        table.remove(added, at)
        table.remove(added, at - 1)
      end
    end
  end
  local list = removals[key]
  if not list then
    list = {}
    removals[key] = list
  end
  list[#list + 1] = id
end

local function write_records()
  local by_bucket = {}
  for index = 1, #changed do
    local task = changed[index]
    if loaded[task[ID]] then
      local list = by_bucket[task[BUCKET]]
      if not list then
        list = { base .. 'tasks:' .. task[BUCKET] }
        by_bucket[task[BUCKET]] = list
      end
      list[#list + 1] = task[ID]
      list[#list + 1] = pack_record(task)
    end
  end
  for _, list in pairs(by_bucket) do redis.call('HSET', unpack(list)) end
end

-- Removals before additions: a task leaves its old place before it takes its new one.
local function write_unit()
  for key, list in pairs(removals) do redis.call('ZREM', key, unpack(list)) end
  if #locks_to_drop > 0 then redis.call('DEL', unpack(locks_to_drop)) end
  for key, list in pairs(additions) do
    if #list > 0 then redis.call('ZADD', key, unpack(list)) end
  end
  write_records()
end
