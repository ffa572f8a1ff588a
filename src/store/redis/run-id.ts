// Defines run_id(): which Redis process this is, and since which promotion or start it is the master. What must not survive a failover or a
// restart from a dump carries it. It is the replication id: a master makes itself a new one when it starts, also from a dump, and when it is
// promoted. So after A has failed over to B and back, what A kept from its first time has another id: it may lack what was
// written to B. The id also changes when the first replica comes or the last has been gone for an hour: then something is forgotten needlessly.
export const runIdLua = `
local known_run_id
-- Nil where Redis does not tell: no node starts there, see deployment.ts. The embedded fallback has none, but never outlives its data.
local function run_id()
  if known_run_id == nil then
    local info = redis.pcall('INFO', 'replication')
    known_run_id = type(info) == 'string' and string.match(info, 'master_replid:(%w+)')
    if not known_run_id then
      info = redis.pcall('INFO', 'server')
      known_run_id = type(info) == 'string' and string.match(info, 'os:(mocked redis)')
    end
  end
  return known_run_id or nil
end
`
