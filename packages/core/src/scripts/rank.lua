-- rank: tells how many tasks of a shard stand before others in line.
-- GUARANTEE: writes nothing. A task of this shard stands behind all of a better score and behind those of its own that came
--   first; one of another shard (an empty id) behind all of a better score.
-- KEYS: pending
-- ARGV: limit
-- ROWS: score id
-- REPLY: ranked { <how many> | absent }…, of the first `limit` rows
-- FLAGS: no-writes
local reply = { 'ranked' }
local last = math.min(#ARGV, ROWS_FROM + limit * ROW_WIDTH - 1)
for at = ROWS_FROM, last, ROW_WIDTH do
  local id = ARGV[at + row_id]
  local rank
  if id == '' then
    rank = redis.call('ZCOUNT', pending, '-inf', '(' .. ARGV[at + row_score])
  else
    rank = redis.call('ZRANK', pending, id)
  end
  reply[#reply + 1] = rank and tostring(rank) or 'absent'
end
return reply
