-- A lock whose value has a + behind its fence has a line, and whoever gives it back must look there. Whoever joins or leaves the line
-- while it is held marks it; whoever was woken marks it again or has it. So giving back what nobody waits for is a comparison.
local function mark_line(value)
  if string.find(value, '^%d+%+') then return end
  redis.call('SET', lock, (string.gsub(value, '^%d+', '%0+', 1)), 'KEEPTTL')
end
