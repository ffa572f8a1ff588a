/** Defines now_ms(): Redis's own clock, as those of the nodes may differ. */
export const nowLua = `
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`
