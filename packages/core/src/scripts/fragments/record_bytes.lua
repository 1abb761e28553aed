-- The two transitions that every task makes, done on the packed bytes: unpacking a record into a table, changing it and
-- packing it again was most of what a drain cost. Only for plain tasks (no child, parent or gate); all others take the
-- long way through fragments/record.lua. Offsets are those of RECORD_LAYOUT, counted from 1.
local PLAIN_FLAGS_END = 8
local now_bytes = struct.pack('>I6', now)
local WHOLE_PROGRESS = struct.pack('>H', 10000)

-- Many tasks share a start, a submit time or a fence, so what was read of such bytes is remembered by them.
local known_times, known_fences, packed_fences = {}, {}, {}
local function milliseconds_since(bytes)
  local passed = known_times[bytes]
  if not passed then
    passed = math.max(0, now - struct.unpack('>I6', bytes))
    known_times[bytes] = passed
  end
  return passed
end

local function fence_of(bytes)
  local fence = known_fences[bytes]
  if not fence then
    fence = struct.unpack('>I4', bytes)
    known_fences[bytes] = fence
  end
  return fence
end

local function fence_bytes(fence)
  local bytes = packed_fences[fence]
  if not bytes then
    bytes = struct.pack('>I4', fence)
    packed_fences[fence] = bytes
  end
  return bytes
end
