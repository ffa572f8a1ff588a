// parley_node:<number>   string: the link that holds this number, with a TTL

import type { RedisLink } from '../../engine/redis/client.ts'
import { nodeNumberLimit } from '../../protocol/snowflake.ts'
import { defaultKeyPrefix } from './keys.ts'

const leaseMs = 60_000
const attemptsMax = 20

/**
 * Leases a number below 32,768 that no other node has, for Snowflakes. Redis may forget who holds it, so it is leased anew with every
 * `renew`; until the first one, and while Redis is away, the number is random. The uniqueness of message ids and of the ids of groups depends on
 * it; a message is identified and ordered by its conversation and seq. docs/protocol.md, "Message ids", says when two nodes may have the same.
 */
export function createNodeNumber(link: RedisLink, random: () => number, keyPrefix = defaultKeyPrefix) {
  const lease = link.script(leaseLua, 1)
  const draw = () => Math.floor(random() * nodeNumberLimit)
  let held = draw()

  return {
    current: () => held,
    /** Must be called well within a minute, before the lease ends. */
    async renew(): Promise<void> {
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        const granted = await link.roundTrip('node.lease', () =>
          lease([`${keyPrefix}node:${held}`], [link.id, leaseMs]),
        )
        if (granted === 1) return
        held = draw()
      }
    },
  }
}

// KEYS[1] string   the number's holder
// ARGV[1] string   the link that asks
// ARGV[2] integer  length of the lease, ms
// Returns 1 if that link holds the number now.
const leaseLua = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`
