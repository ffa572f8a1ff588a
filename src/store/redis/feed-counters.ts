// parley_feed:{partition}   string, "<position> <run id>"; 30 days
// What another Redis process has counted is forgotten: a replica that takes over may be behind. A position that is proposed twice costs its second
// taker a read, and harms nothing.

import type { RedisLink } from '../../engine/redis/client.ts'
import type { FeedCounters } from '../../ports/feed.ts'
import { createBatchScript, glanceAt } from './batch-script.ts'
import { dayMs, type RedisKeys } from './keys.ts'
import { runIdLua } from './run-id.ts'

export const feedCounterTtlMs = 30 * dayMs

export function createFeedCountersRedis(link: RedisLink, keys: RedisKeys): FeedCounters {
  const next = link.script(nextLua, 1)
  const getEnds = createBatchScript(link, endsLua, glanceAt(endLua, 'end_of(value) or false'))

  return {
    async next(partition, taken) {
      const position = await link.roundTrip('feed.next', () =>
        next([keys.feedCounter(partition)], [feedCounterTtlMs, taken ?? '']),
      )
      return position === null ? undefined : Number(position)
    },

    async ends(partitions) {
      const ends = await link.roundTrip('feed.ends', () => getEnds(partitions.map(keys.feedCounter)))
      return ends.map((end) => (end === null ? undefined : Number(end)))
    },
  }
}

const endLua = `${runIdLua}
local function end_of(value)
  local position, run = string.match(value or '', '^(%d+) (%S+)$')
  return run == (run_id() or '-') and tonumber(position) or nil
end
`

// KEYS[1] string   the partition's counter
// ARGV[1] integer  its TTL, ms
// ARGV[2] integer  a position known to be taken; empty if none is known
// Returns the next position, or nil where neither is known.
const nextLua = `${endLua}
local last = end_of(redis.call('GET', KEYS[1]))
local taken = tonumber(ARGV[2])
if not last and not taken then return false end
local position = math.max(last or 0, taken or 0) + 1
redis.call('SET', KEYS[1], string.format('%.0f', position) .. ' ' .. (run_id() or '-'), 'PX', ARGV[1])
return position
`

// KEYS string   the counters of partitions
// Returns for each the last position given, or nil where there is none.
const endsLua = `${endLua}
local ends = {}
for i, value in ipairs(redis.call('MGET', unpack(KEYS))) do ends[i] = end_of(value) or false end
return ends
`
