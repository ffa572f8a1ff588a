// parley_rate:{quota}   string, "<left> <atMs>": what was left of a quota, and when, ms of Redis's time; until it is whole again
//
// A quota refills evenly. One that is missing is full, so Redis may forget any at any time. A refusal writes nothing, so that a caller that comes
// back after the returned time finds enough.

import type { RedisLink } from '../../engine/redis/client.ts'
import type { Quotas } from '../../ports/quotas.ts'
import type { RedisKeys } from './keys.ts'

export function createQuotasRedis(link: RedisLink, keys: RedisKeys): Quotas {
  const take = link.script(takeLua, 1)
  return {
    async take(quota, count, perHour) {
      const retryAfterMs = await link.roundTrip('quotas.take', () => take([keys.rate(quota)], [count, perHour]))
      return { retryAfterMs: Number(retryAfterMs) }
    },
  }
}

// KEYS[1] string   the quota
// ARGV[1] integer  how many are wanted
// ARGV[2] integer  how many there are in an hour
// Returns 0, or the ms until there are as many.
const takeLua = `
local wanted, per_hour = tonumber(ARGV[1]), tonumber(ARGV[2])
local per_ms = per_hour / 3600000
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local left = per_hour
local kept, at = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%d+)$')
if kept then left = math.min(per_hour, tonumber(kept) + math.max(0, now - tonumber(at)) * per_ms) end
if left < wanted then return math.ceil((wanted - left) / per_ms) end
left = left - wanted
local whole_in_ms = math.max(1, math.ceil((per_hour - left) / per_ms))
redis.call('SET', KEYS[1], string.format('%.6f %.0f', left, now), 'PX', string.format('%.0f', whole_in_ms))
return 0
`
