// parley_index:{userId}   string, "<stamp> <run id>": a random text, and the run id (store/redis/run-id.ts) under which it was made; 7 days
// What has another run id counts as absent: a replica that takes over may have missed that the stamp was replaced.

import { randomUUID } from 'node:crypto'
import type { RedisLink } from '../../engine/redis/client.ts'
import type { IndexStamps } from '../../ports/soft-state.ts'
import { alone, createBatchScript, glanceAt } from './batch-script.ts'
import { dayMs, type RedisKeys } from './keys.ts'
import { runIdLua } from './run-id.ts'

export const stampTtlMs = 7 * dayMs

export function createIndexStampsRedis(link: RedisLink, keys: RedisKeys): IndexStamps {
  const look = createBatchScript(link, lookLua, glanceLua)
  const replace = createBatchScript(link, replaceLua)

  return {
    async look(userIds) {
      const stamps = await link.roundTrip('indexStamps.look', () =>
        look(userIds.map(keys.indexStamp), [randomUUID(), stampTtlMs]),
      )
      return stamps.map(String)
    },

    async replace(userIds) {
      await link.roundTrip('indexStamps.replace', () =>
        replace(userIds.map(keys.indexStamp), [randomUUID(), stampTtlMs]),
      )
    },
  }
}

/** Defines replace_stamp(key, stamp, ttl_ms). */
export const replaceStampLua = `${runIdLua}
local function replace_stamp(key, stamp, ttl_ms)
  redis.call('SET', key, stamp .. ' ' .. (run_id() or '-'), 'PX', ttl_ms)
end
`

// KEYS string      the stamps of users
// ARGV[1] string   a new stamp
// ARGV[2] integer  TTL of a stamp, ms
// Returns the stamps. Where there was none, it is the new one.
const lookLua = `${replaceStampLua}
local run = run_id() or '-'
local stamps = {}
for i, value in ipairs(redis.call('MGET', unpack(KEYS))) do
  local stamp, stamp_run = string.match(value or '', '^(%S+) (%S+)$')
  if stamp_run ~= run then
    stamp = ARGV[1]
    replace_stamp(KEYS[i], stamp, ARGV[2])
  end
  stamps[i] = stamp
end
return stamps
`

// Where there is no stamp, one has to be made by a script that names its key.
const glanceLua = glanceAt(
  `${runIdLua}
local run = run_id() or '-'
local function stamp_of(value)
  local stamp, stamp_run = string.match(value or '', '^(%S+) (%S+)$')
  return stamp_run == run and stamp or '${alone}'
end`,
  'stamp_of(value)',
)

// KEYS string      the stamps of users
// ARGV[1] string   a new stamp
// ARGV[2] integer  TTL of a stamp, ms
const replaceLua = `${replaceStampLua}
local replaced = {}
for i, key in ipairs(KEYS) do
  replace_stamp(key, ARGV[1], ARGV[2])
  replaced[i] = 1
end
return replaced
`
