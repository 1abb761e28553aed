-- The two transitions that every task makes, done on the packed bytes: unpacking a record into a table, changing it and
-- packing it again was most of what a drain cost. Only for plain tasks (no child, parent or gate); all others take the
-- long way through fragments/record.lua. Offsets are those of RECORD_LAYOUT, counted from 1. Redis's Lua hashes every byte
-- of every string that it makes, so what counts is how few bytes are cut out and joined.
local PLAIN_FLAGS_END = 8
local now_bytes = struct.pack('>I6', now)

local function milliseconds_since(bytes)
  return math.max(0, now - struct.unpack('>I6', bytes))
end
