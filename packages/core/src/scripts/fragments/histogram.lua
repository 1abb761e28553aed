-- Histogram buckets double every two steps: bucket b ends at 2^(b/2) milliseconds (rules/histogram.ts).
local function bucket_of_duration(milliseconds)
  if milliseconds <= 1 then return 0 end
  local mantissa, exponent = math.frexp(milliseconds)
  if mantissa == 0.5 then return 2 * (exponent - 1) end
  if mantissa <= 0.70710678118654752 then return 2 * exponent - 1 end
  return 2 * exponent
end
