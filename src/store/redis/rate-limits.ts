// parley_rate:{bucket}   string, "<tokens> <atMs>": what a token bucket held, and when, ms of Redis's time; until it is full again
//
// A bucket that is missing is full, so Redis may forget any at any time. A draw that gets nothing writes nothing.

import type { RedisLink } from '../../engine/redis/client.ts'
import type { RateLimits } from '../../ports/rate-limits.ts'
import type { RedisKeys } from './keys.ts'

export function createRateLimitsRedis(link: RedisLink, keys: RedisKeys): RateLimits {
  const draw = link.script(drawLua, 1)
  return {
    async draw(bucket, wanted, { perSecond, burst }) {
      const drawn = await link.roundTrip('rateLimits.draw', () => draw([keys.rate(bucket)], [perSecond, burst, wanted]))
      const [tokens, retryAfterMs] = drawn as [number, number]
      return { tokens, retryAfterMs }
    },
  }
}

// KEYS[1] string   the bucket
// ARGV[1] number   tokens per second
// ARGV[2] integer  tokens it holds when full
// ARGV[3] integer  tokens wanted
// Returns {tokens taken, ms until there is one}.
const drawLua = `
local per_ms, burst, wanted = tonumber(ARGV[1]) / 1000, tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local tokens = burst
local kept, at = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%d+)$')
if kept then tokens = math.min(burst, tonumber(kept) + math.max(0, now - tonumber(at)) * per_ms) end
local taken = math.min(wanted, math.floor(tokens))
if taken < 1 then return {0, math.ceil((1 - tokens) / per_ms)} end
local left = tokens - taken
local full_in_ms = math.ceil((burst - left) / per_ms)
redis.call('SET', KEYS[1], string.format('%.6f %.0f', left, now), 'PX', string.format('%.0f', full_in_ms))
return {taken, 0}
`
