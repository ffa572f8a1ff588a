// parley_hint:{userId}:<conversationId>   hash, 7 days from its last change
//   d, r   integers: delivered and read, never beyond the stored boundaries
//   p      integer: a version, new with every pending row that was written; negative once that row was seen to be gone; 0
//          where none was written since the entry exists
//
// `p <= 0` says that there is no pending row. What keeps it true:
// - Whoever wrote a row raises p, also where nothing is cached. Such a hash has p alone; for readers nothing is cached yet.
//   If d says that an ack has come before, that ack has not seen p: whoever wrote the row removes it.
// - Only somebody who looked for the row while p was what it still is may say that there is none: a row written since has
//   raised p. A version never comes back, not even after Redis forgot: it is Redis's time in µs, or one more than the last.
// - Where nobody looked, or the entry seen then is gone, a new entry begins with a new version: there may be a row.
// Somebody who saw no entry and no row passes 0. Should a row be written, published and forgotten by Redis before that arrives, p
// says "none" beside a row. Whoever lists the index finds the row all the same; only its removal comes later.

import type { RedisLink } from '../../engine/redis/client.ts'
import type { BoundaryCache, CachedBoundaries } from '../../ports/soft-state.ts'
import { dayMs, type RedisKeys } from './keys.ts'

export const boundaryCacheTtlMs = 7 * dayMs

export function createBoundaryCacheRedis(link: RedisLink, keys: RedisKeys): BoundaryCache {
  const get = link.command('hmget')
  const open = link.script(openLua, 2)
  const lift = link.script(liftLua, 1)
  const notePending = link.script(notePendingLua, 1)

  return {
    async get(member) {
      return toCached(await link.roundTrip('hints.get', () => get(keys.cachedBoundaries(member), ['d', 'r', 'p'])))
    },

    async open(member) {
      return toCached(
        await link.roundTrip('hints.open', () =>
          open([keys.cachedBoundaries(member), keys.pendingIndexComplete(member.userId)], []),
        ),
      )
    },

    async lift(member, { lastDeliveredSeq, lastReadSeq }, clearedVersion) {
      await link.roundTrip('hints.lift', () =>
        lift(
          [keys.cachedBoundaries(member)],
          [lastDeliveredSeq, lastReadSeq, clearedVersion ?? '', boundaryCacheTtlMs],
        ),
      )
    },

    async notePending(member) {
      return Number(
        await link.roundTrip('hints.notePending', () =>
          notePending([keys.cachedBoundaries(member)], [boundaryCacheTtlMs]),
        ),
      )
    },
  }
}

function toCached(fields: unknown): CachedBoundaries | undefined {
  const [delivered, read, version] = fields as (string | null)[]
  if (delivered === null) return undefined
  return {
    lastDeliveredSeq: Number(delivered),
    lastReadSeq: Number(read),
    pendingVersion: pendingVersionOf(version),
  }
}

export const pendingVersionOf = (p: unknown): number => Math.max(Number(p), 0)

/** raise_pending_version(key, ttl_ms), returning it: for whoever has written a pending row. note_pending does that and returns d. */
export const pendingVersionLua = `
local function raise_pending_version(key, ttl_ms)
  local time = redis.call('TIME')
  local last = math.abs(tonumber(redis.call('HGET', key, 'p') or '0'))
  local version = math.max(last + 1, time[1] * 1000000 + time[2])
  redis.call('HSET', key, 'p', string.format('%.0f', version))
  redis.call('PEXPIRE', key, ttl_ms)
  return version
end

local function note_pending(key, ttl_ms)
  raise_pending_version(key, ttl_ms)
  return tonumber(redis.call('HGET', key, 'd') or '0')
end
`

// KEYS[1] hash     the cached boundaries
// ARGV[1] integer  TTL of the cached boundaries, ms
// Returns d, or 0.
const notePendingLua = `${pendingVersionLua}
return note_pending(KEYS[1], ARGV[1])
`

// KEYS[1] hash     the cached boundaries
// KEYS[2] string   the user's flag
// Returns {d, r, p}.
const openLua = `
local hint = redis.call('HMGET', KEYS[1], 'd', 'r', 'p')
if not hint[1] or tonumber(hint[3]) > 0 then redis.call('DEL', KEYS[2]) end
return hint
`

/**
 * lift_hint(key, delivered, read, cleared, ttl_ms), returning p. `cleared`: the version at which the pending row was seen to be
 * gone; '' where nobody looked.
 */
export const liftBoundariesLua = `${pendingVersionLua}
local function lift_hint(key, delivered, read, cleared, ttl_ms)
  local hint = redis.call('HMGET', key, 'p', 'd', 'r')
  local version, cleared_version = tonumber(hint[1] or ''), tonumber(cleared)
  if not version and cleared_version == 0 then
    version = 0
    redis.call('HSET', key, 'p', '0')
  elseif not version then
    version = raise_pending_version(key, ttl_ms)
  elseif version > 0 and version == cleared_version then
    version = -version
    redis.call('HSET', key, 'p', string.format('%.0f', version))
  end
  if tonumber(hint[2] or '-1') < tonumber(delivered) then redis.call('HSET', key, 'd', delivered) end
  if tonumber(hint[3] or '-1') < tonumber(read) then redis.call('HSET', key, 'r', read) end
  redis.call('PEXPIRE', key, ttl_ms)
  return string.format('%.0f', version)
end
`

// KEYS[1] hash     the cached boundaries
// ARGV[1] integer  delivered
// ARGV[2] integer  read
// ARGV[3] integer  cleared
// ARGV[4] integer  TTL of the cached boundaries, ms
// Returns p.
const liftLua = `${liftBoundariesLua}
return lift_hint(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4])
`
