-- What the quick paths (scripts/plain) share. They serve calls whose tasks are all plain: no child, parent or gate, in a
-- queue without timelines. They work on the bytes of the records (offsets are those of RECORD_LAYOUT, counted from 1) and
-- answer before the rest of the script has made its functions, because unpacking and packing was most of what a drain cost
-- and making functions most of what a call for one task cost. Redis's Lua hashes every byte of every string that it makes,
-- so little is cut out and joined.
local PLAIN_FLAGS_END = 8
local now_bytes = struct.pack('>I6', now)
local minute = base .. 'minute:' .. math.floor(now / 60000)

-- Numbers handed to commands are written out for each, and slowly, so they are handed as text where they are used twice.
local function count(field, amount)
  amount = string.format('%.0f', amount)
  redis.call('HINCRBY', totals, field, amount)
  redis.call('HINCRBY', minute, field, amount)
end

-- times: bytes that begin with a time → how many tasks waited or ran since then.
local function count_durations(prefix, times)
  local amounts = {}
  for bytes, amount in pairs(times) do
    local bucket = bucket_of_duration(math.max(0, now - struct.unpack('>I6', bytes)))
    amounts[bucket] = (amounts[bucket] or 0) + amount
  end
  for bucket, amount in pairs(amounts) do count(prefix .. bucket, amount) end
end
