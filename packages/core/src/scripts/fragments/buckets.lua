-- Which of the bounded hashes an id's record and message live in. Ids that share ten digits mostly share their hash.
local known_buckets = {}
local function bucket_of(id)
  local block = string.sub(id, sequence_at, sequence_at + 9)
  local bucket = known_buckets[block]
  if not bucket then
    local first = tonumber(block, 36) * 1296
    bucket = math.floor(first / 4096)
    if math.floor((first + 1295) / 4096) == bucket then
      known_buckets[block] = bucket
    else
      bucket = math.floor(tonumber(string.sub(id, sequence_at, sequence_at + 11), 36) / 4096)
    end
  end
  if #id > sequence_at + 18 then
    return bucket .. ':' .. math.floor(tonumber(string.sub(id, sequence_at + 20)) / 4096)
  end
  return bucket
end

local function is_child(id)
  return #id > sequence_at + 18
end

-- Where ids share a bucket, as those in order mostly do: three numbers for each stretch, its bucket, first and last index.
local function stretches_of(ids)
  local stretches, count, bucket = {}, 0, nil
  for index = 1, #ids do
    local own = bucket_of(ids[index])
    if own ~= bucket then
      if bucket then stretches[count] = index - 1 end
      stretches[count + 1], stretches[count + 2] = own, index
      bucket, count = own, count + 3
    end
  end
  if bucket then stretches[count] = #ids end
  return stretches
end

-- A task's field in its hash of messages: what tells it from the others of its bucket, which is the end of its sequence, its
-- random characters and a child's number. Short, because every task keeps it.
local function message_field(id)
  return string.sub(id, sequence_at + 9)
end

-- What the hashes of this kind hold for these fields, in their order, false where nothing: a read a stretch.
local function read_fields(kind, names, stretches)
  if #stretches == 3 then return redis.call('HMGET', base .. kind .. stretches[1], unpack(names)) end
  local fields = {}
  for at = 1, #stretches, 3 do
    local from, to = stretches[at + 1], stretches[at + 2]
    local reply = redis.call('HMGET', base .. kind .. stretches[at], unpack(names, from, to))
    for index = from, to do fields[index] = reply[index - from + 1] end
  end
  return fields
end

local function read_messages(ids, stretches)
  local names = {}
  for index = 1, #ids do names[index] = message_field(ids[index]) end
  return read_fields('messages:', names, stretches)
end
