// parley_active:{conversationId}   string, "<seq> <sentAtMs>" of the last message known; 90 days from the last one
// It is written where a message is published (store/redis/events.ts), and here where Redis forgot it.

import type { RedisLink } from '../../engine/redis/client.ts'
import type { Activity, LastActivity } from '../../ports/soft-state.ts'
import { dayMs, type RedisKeys } from './keys.ts'

export const activityTtlMs = 90 * dayMs

export function createActivityRedis(link: RedisLink, keys: RedisKeys): Activity {
  const seed = link.script(seedLua, 1)

  return {
    async of(conversationIds) {
      const found = await link.roundTrip('activity.of', () =>
        Promise.all(conversationIds.map((conversationId) => link.commands.get(keys.activity(conversationId)))),
      )
      return found.map((kept) => (kept === null ? undefined : parse(kept)))
    },

    async seed(found) {
      await link.roundTrip('activity.seed', () =>
        Promise.all(
          found.map(({ conversationId, seq, atMs }) =>
            seed([keys.activity(conversationId)], [seq, atMs, activityTtlMs]),
          ),
        ),
      )
    },
  }
}

function parse(kept: string): LastActivity {
  const [seq, atMs] = kept.split(' ')
  return { seq: Number(seq), atMs: Number(atMs) }
}

/** Defines active_seq(value). */
export const activeSeqLua = `
-- The seq of an activity; -1 where there is none.
local function active_seq(value)
  return tonumber(string.match(value or '', '^%d+') or '-1')
end
`

// KEYS[1] string   the conversation's activity
// ARGV[1] integer  the seq of its last message
// ARGV[2] integer  when that was sent, ms
// ARGV[3] integer  TTL of the activity, ms
const seedLua = `${activeSeqLua}
if active_seq(redis.call('GET', KEYS[1])) >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
return 1
`
