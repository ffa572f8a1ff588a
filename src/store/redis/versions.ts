// parley_version:{conversationId}   string, 5 minutes from its last setting; one of
//   "<version> <run id>"             the group's version, and the run id (store/redis/run-id.ts) of the Redis that was told
//   "?<token> <run id>"              somebody is reading the group
// What bears another run id counts as absent: a replica that takes over may have missed what came after.

import type { RedisLink } from '../../engine/redis/client.ts'
import type { GroupVersions } from '../../ports/soft-state.ts'
import type { RedisKeys } from './keys.ts'
import { runIdLua } from './run-id.ts'

/** Bounds what a node that dies between replacing a group and saying so can cost. */
export const versionTtlMs = 300_000
/** Longer than any read of a group takes. */
export const tokenTtlMs = 10_000

export function createVersionsRedis(link: RedisLink, keys: RedisKeys): GroupVersions {
  const look = link.script(lookLua, 1)
  const settle = link.script(settleLua, 1)
  const raise = link.script(raiseLua, 1)

  return {
    async look(ids, token) {
      if (ids.length === 0) return []
      const found = await link.roundTrip('versions.look', () =>
        Promise.all(ids.map((id) => look([keys.version(id)], [token, tokenTtlMs]))),
      )
      return found.map((version) => (version === null ? undefined : Number(version)))
    },

    async settle(id, token, version) {
      await link.roundTrip('versions.settle', () => settle([keys.version(id)], [token, version, versionTtlMs]))
    },

    async raise(id, version) {
      await link.roundTrip('versions.raise', () => raise([keys.version(id)], [version, versionTtlMs]))
    },
  }
}

const readLua = `${runIdLua}
-- The version and nil, or nil and a token; nil and nil where there is neither.
local function read(key)
  local value = redis.call('GET', key)
  if not value then return nil, nil end
  local text, run = string.match(value, '^(%S+) (.*)$')
  if run ~= run_id() then return nil, nil end
  if string.sub(text, 1, 1) == '?' then return nil, string.sub(text, 2) end
  return tonumber(text), nil
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
if not token then write(KEYS[1], '?' .. ARGV[1], ARGV[2]) end
return false
`

// KEYS[1] string   the group's version
// ARGV[1] string   the token it was looked for with
// ARGV[2] integer  the version that was read
// ARGV[3] integer  TTL, ms
const settleLua = `${readLua}
local _, token = read(KEYS[1])
if token == ARGV[1] then write(KEYS[1], ARGV[2], ARGV[3]) end
return 1
`

// KEYS[1] string   the group's version
// ARGV[1] integer  its new version
// ARGV[2] integer  TTL, ms
// Where none is known, this one may be an old one by now: it only ends the readings that may have missed it.
const raiseLua = `${readLua}
local version = read(KEYS[1])
if not version then
  redis.call('DEL', KEYS[1])
elseif version < tonumber(ARGV[1]) then
  write(KEYS[1], ARGV[1], ARGV[2])
end
return 1
`
