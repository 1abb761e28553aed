-- rank: tells how many tasks of a shard stand before others in line.
-- GUARANTEE: writes nothing. A task of this shard stands behind all of a better score and behind those of its own score that
--   came first; how one of another shard (an empty id) stands to those of its own score is told by nobody, so all are counted.
-- KEYS: pending
-- ARGV: limit
-- ROWS: score id
-- REPLY: ranked { <of a better score> <of the same> | absent }…, of the first `limit` rows
-- FLAGS: no-writes
local reply = { 'ranked' }
local last = math.min(#ARGV, ROWS_FROM + limit * ROW_WIDTH - 1)
for at = ROWS_FROM, last, ROW_WIDTH do
  local id = ARGV[at + row_id]
  local score = ARGV[at + row_score]
  local better = redis.call('ZCOUNT', pending, '-inf', '(' .. score)
  local same
  if id == '' then
    same = redis.call('ZCOUNT', pending, score, score)
  else
    local rank = redis.call('ZRANK', pending, id)
    same = rank and math.max(0, rank - better)
  end
  reply[#reply + 1] = same and better .. ' ' .. same or 'absent'
end
return reply
