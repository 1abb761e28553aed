-- A lost reply changes nothing: the last answer to each request slot of a connection is kept, and a request that
-- comes again under the same id gets it again.
local function replayed_answer()
  local kept = redis.call('GET', replay)
  if not kept then return nil end
  local line_end = string.find(kept, '\n', 1, true)
  if string.sub(kept, 1, line_end - 1) ~= request_id then return nil end
  return cmsgpack.unpack(string.sub(kept, line_end + 1))
end

local function keep_answer(answer)
  redis.call('SET', replay, request_id .. '\n' .. cmsgpack.pack(answer), 'PX', replay_ms)
end
