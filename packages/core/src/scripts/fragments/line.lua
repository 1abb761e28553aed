-- Putting tasks in line. An idle worker is woken only when the shard's head improves.
local head_before = nil
local best_added = nil

local function look_at_head()
  local head = redis.call('ZRANGE', pending, 0, 0, 'WITHSCORES')
  head_before = head[2] and tonumber(head[2]) or math.huge
end

-- since: when the task became runnable; its wait is counted from there.
local function put_in_line(task, since)
  if not head_before then look_at_head() end
  task.state = PENDING
  task.since = since
  redis.call('ZADD', pending, task.score, task.id)
  if not best_added or task.score < best_added then best_added = task.score end
end

local function wake_if_head_improved()
  if best_added and best_added < head_before then redis.call('PUBLISH', base .. 'wake', best_added) end
end
