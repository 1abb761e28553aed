-- The last 20 errors of a task, a line each: when, attempt, fence, then the error as JSON.
local ERRORS_KEPT = 20

local function add_error(task, attempt, json)
  local key = base .. 'errors:' .. task[BUCKET]
  local lines = redis.call('HGET', key, task[ID])
  local line = now .. ' ' .. attempt .. ' ' .. task[FENCE] .. ' ' .. json
  lines = lines and (lines .. '\n' .. line) or line
  local _, breaks = string.gsub(lines, '\n', '')
  while breaks >= ERRORS_KEPT do
    lines = string.sub(lines, string.find(lines, '\n', 1, true) + 1)
    breaks = breaks - 1
  end
  redis.call('HSET', key, task[ID], lines)
end

local function dead_code_key(code)
  return base .. 'tag:code:' .. code
end

-- The code under which a dead letter is filed: that of its last error.
local function last_code(task)
  local lines = redis.call('HGET', base .. 'errors:' .. task[BUCKET], task[ID])
  local code = lines and string.match(lines, '"code":"([^"]*)"[^\n]*$')
  return code or 'unknown_error'
end

local function file_dead(task, code)
  add_to(dead, now, task[ID])
  add_to(dead_code_key(code), now, task[ID])
  count_code(code, 1)
end

local function unfile_dead(task)
  local code = last_code(task)
  remove_from(dead, task[ID])
  remove_from(dead_code_key(code), task[ID])
  count_code(code, -1)
end
