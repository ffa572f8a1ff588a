// parley_version:{conversationId}   string, 5 minutes from its last setting; one of
//   "<version> <run id>"             the group's version, and the run id (store/redis/run-id.ts) under which it was set
//   "?<token>|<minimum> <run id>"    a node is reading the group; another has read this version of it meanwhile, 0 if none has
// What has another run id counts as absent: a replica that takes over may have missed later versions.

import type { RedisLink } from '../../engine/redis/client.ts'
import type { GroupVersions } from '../../ports/soft-state.ts'
import type { RedisKeys } from './keys.ts'
import { runIdLua } from './run-id.ts'

/** If a node dies between replacing a group and raising its version, copies stay outdated for this long at most. */
export const versionTtlMs = 300_000
/** This is longer than any read of a group takes. */
export const tokenTtlMs = 10_000

export function createVersionsRedis(link: RedisLink, keys: RedisKeys): GroupVersions {
  const look = link.script(lookLua, 1)
  const seed = link.script(seedLua, 1)
  const raise = link.script(raiseLua, 1)

  return {
    async look(ids, token) {
      if (ids.length === 0) return []
      const found = await link.roundTrip('versions.look', () =>
        Promise.all(ids.map((id) => look([keys.version(id)], [token, tokenTtlMs]))),
      )
      return found.map((version) => (version === null ? undefined : Number(version)))
    },

    async seed(id, token, version) {
      await link.roundTrip('versions.settle', () =>
        seed([keys.version(id)], [token, version, versionTtlMs, tokenTtlMs]),
      )
    },

    async raise(id, version) {
      await link.roundTrip('versions.raise', () => raise([keys.version(id)], [version, versionTtlMs]))
    },
  }
}

const readLua = `${runIdLua}
-- The version alone, or nil, a token and its minimum; nothing where there is neither.
local function read(key)
  local value = redis.call('GET', key)
  if not value then return nil end
  local text, run = string.match(value, '^(%S+) (.*)$')
  if run ~= run_id() then return nil end
  if string.sub(text, 1, 1) ~= '?' then return tonumber(text) end
  local token, minimum = string.match(text, '^%?(.*)|(%d+)$')
  return nil, token or string.sub(text, 2), tonumber(minimum or '0')
end

local function write(key, text, ttl)
  local run = run_id()
  if run then redis.call('SET', key, text .. ' ' .. run, 'PX', ttl) end
end
`

// KEYS[1] string   the group's version
// ARGV[1] string   a token
// ARGV[2] integer  TTL of the token, ms
// Returns the version, or nil.
const lookLua = `${readLua}
local version, token = read(KEYS[1])
if version then return version end
if not token then write(KEYS[1], '?' .. ARGV[1] .. '|0', ARGV[2]) end
return false
`

// KEYS[1] string   the group's version
// ARGV[1] string   the token it was looked for with
// ARGV[2] integer  the version that was read
// ARGV[3] integer  TTL, ms
// ARGV[4] integer  TTL of a token, ms
// The caller is about to show this version, so no caller may get an older one after that. If another node is reading the group, perhaps since
// before it was changed, this version is a minimum for it.
const seedLua = `${readLua}
local version, token, minimum = read(KEYS[1])
local own = tonumber(ARGV[2])
if version then
  if version < own then write(KEYS[1], ARGV[2], ARGV[3]) end
elseif token == ARGV[1] then
  write(KEYS[1], string.format('%.0f', math.max(own, minimum)), ARGV[3])
elseif token and minimum < own then
  write(KEYS[1], '?' .. token .. '|' .. ARGV[2], ARGV[4])
end
return 1
`

// KEYS[1] string   the group's version
// ARGV[1] integer  its new version
// ARGV[2] integer  TTL, ms
// Where none is known, this version may be outdated by now: the script then only ends the reads that may have missed it.
const raiseLua = `${readLua}
local version = read(KEYS[1])
if not version then
  redis.call('DEL', KEYS[1])
elseif version < tonumber(ARGV[1]) then
  write(KEYS[1], ARGV[1], ARGV[2])
end
return 1
`
