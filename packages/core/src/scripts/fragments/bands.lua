-- Pending tasks are counted by priority band (contract, `bandOf`).
local function band_of(priority)
  return priority < 10 and 'urgent' or priority < 100 and 'high' or priority < 1000 and 'normal' or 'bulk'
end
