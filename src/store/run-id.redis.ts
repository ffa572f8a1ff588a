/** run_id(): which Redis process this is. What must not survive a failover or a restart from a dump is bound to it. */
export const runIdLua = `
-- Nil where Redis does not tell: then nothing is bound to it. The embedded fallback has no run id, but never outlives its data.
local function run_id()
  local info = redis.pcall('INFO', 'server')
  if type(info) ~= 'string' then return nil end
  return string.match(info, 'run_id:(%w+)') or string.match(info, 'os:(mocked redis)')
end
`
