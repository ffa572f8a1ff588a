/**
 * What tells one Redis process from the next, in scripts. Nil where Redis does not tell: then nothing that is bound to a process can
 * be believed. The embedded fallback has no run id, but never outlives its data.
 */
export const runIdLua = `
local function run_id()
  local info = redis.pcall('INFO', 'server')
  if type(info) ~= 'string' then return nil end
  return string.match(info, 'run_id:(%w+)') or string.match(info, 'os:(mocked redis)')
end
`
