// parley_ticks:{userId}           string, a random text; 7 days
// parley_ticks:{conversationId}   the same of a group
// What a look returns ends with the run id (store/redis/run-id.ts), shortened: a replica that takes over may have missed that the stamp was replaced. The
// run id is not stored, as every ack replaces a stamp.

import { randomBytes } from 'node:crypto'
import type { RedisLink } from '../../engine/redis/client.ts'
import type { TickStamps } from '../../ports/soft-state.ts'
import { alone, createBatchScript, glanceAt } from './batch-script.ts'
import { stampTtlMs } from './index-stamps.ts'
import type { RedisKeys } from './keys.ts'
import { runIdLua } from './run-id.ts'

/** Streams of ticks keep one for each of their groups, so they are short. */
export const newTickStamp = (): string => randomBytes(9).toString('base64url')

export function createTickStampsRedis(link: RedisLink, keys: RedisKeys): TickStamps {
  const look = createBatchScript(link, lookLua, glanceLua)
  const replace = createBatchScript(link, replaceLua)

  return {
    async look(ids) {
      const stamps = await link.roundTrip('tickStamps.look', () =>
        look(ids.map(keys.tickStamp), [newTickStamp(), stampTtlMs]),
      )
      return stamps.map(String)
    },

    async replace(ids) {
      await link.roundTrip('tickStamps.replace', () => replace(ids.map(keys.tickStamp), [newTickStamp(), stampTtlMs]))
    },
  }
}

// KEYS string      the stamps of users and groups
// ARGV[1] string   a new stamp
// ARGV[2] integer  TTL of a stamp, ms
// Returns the stamps. Where there was none, it is the new one.
const lookLua = `${runIdLua}
local run = string.sub(run_id() or '-', 1, 16)
local stamps = {}
for i, stamp in ipairs(redis.call('MGET', unpack(KEYS))) do
  if not stamp then
    stamp = ARGV[1]
    redis.call('SET', KEYS[i], stamp, 'PX', ARGV[2])
  end
  stamps[i] = stamp .. ' ' .. run
end
return stamps
`

// Where there is no stamp, one has to be made by a script that names its key.
const glanceLua = glanceAt(
  `${runIdLua}
local run = string.sub(run_id() or '-', 1, 16)`,
  `value and value .. ' ' .. run or '${alone}'`,
)

// KEYS string      the stamps of users and groups
// ARGV[1] string   a new stamp
// ARGV[2] integer  TTL of a stamp, ms
const replaceLua = `
local replaced = {}
for i, key in ipairs(KEYS) do
  redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
  replaced[i] = 1
end
return replaced
`
