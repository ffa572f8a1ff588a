// parley_hint:{userId}:<conversationId>   hash, 7 days from the first lift of a day, or from its last pending row
//   d, r   integers: delivered and read, never beyond the stored boundaries
//   p      integer: a version, new with every pending row that was written; negative once that row was seen to be gone
//   i      string: the run id (store/redis/run-id.ts) under which p was set, shortened
//   e      integer: the day on which a lift has set the TTL, so that the next ones need not
//
// `p < 0` says that there is no pending row. What keeps it true:
// - The writer of a row raises p, also where nothing is cached. Such a hash has p alone, and for readers nothing is cached yet.
//   If d says that an ack has come before, that ack has not seen p: then the writer of the row removes it.
// - Only a caller that looked for the row at the version that p still has may say that there is none: a row written since has raised p.
//   A version never comes back, not even after Redis forgot it: it is Redis's time in µs, or one more than the last.
//   A caller that is about to look and finds no version makes one (`open`), so that a row whose version Redis has then forgotten is not
//   overlooked.
// - Where no caller looked, or the version seen then is gone, a new version is made: there may be a row.
// - A promoted replica, or a loaded dump, may hold a p from before a row was written. It has another run id and is not trusted: a new
//   version is made.

import type { RedisLink } from '../../engine/redis/client.ts'
import type { BoundaryCache, CachedBoundaries } from '../../ports/soft-state.ts'
import { dayMs, type RedisKeys } from './keys.ts'
import { runIdLua } from './run-id.ts'

export const boundaryCacheTtlMs = 7 * dayMs

/** Days are told apart, and no more: the clocks of nodes may differ. */
export const dayOf = (ms: number): number => Math.floor(ms / dayMs)

export function createBoundaryCacheRedis(link: RedisLink, keys: RedisKeys, nowMs: () => number): BoundaryCache {
  const get = link.command('hmget')
  const open = link.script(openLua, 2)
  const lift = link.script(liftLua, 1)
  const notePending = link.script(notePendingLua, 1)

  return {
    async get(member) {
      return toCached(await link.roundTrip('hints.get', () => get(keys.cachedBoundaries(member), ['d', 'r', 'p'])))
    },

    async open(member) {
      const [read, version] = (await link.roundTrip('hints.open', () =>
        open([keys.cachedBoundaries(member), keys.pendingIndexComplete(member.userId)], [boundaryCacheTtlMs]),
      )) as [string | null, string]
      return { lastReadSeq: Number(read ?? 0), pendingVersion: pendingVersionOf(version) }
    },

    async lift(member, { lastDeliveredSeq, lastReadSeq }, clearedVersion) {
      await link.roundTrip('hints.lift', () =>
        lift(
          [keys.cachedBoundaries(member)],
          [lastDeliveredSeq, lastReadSeq, clearedVersion ?? 0, boundaryCacheTtlMs, dayOf(nowMs())],
        ),
      )
    },

    async forget(member) {
      await link.roundTrip('hints.forget', () => link.commands.del(keys.cachedBoundaries(member)))
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

/**
 * Defines raise_pending_version(key, ttl_ms), which is called after a pending row was written and returns the version. note_pending does the same
 * and returns d.
 */
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

/**
 * Defines short_run_id() and believed_version(key, p, i, ttl_ms). The latter returns the pending version if it can be trusted. It makes a new one
 * where there is none, or where p was cleared under another run id.
 */
const believedVersionLua = `${runIdLua}${pendingVersionLua}
local function short_run_id()
  return string.sub(run_id() or '-', 1, 16)
end

local function believed_version(key, p, i, ttl_ms)
  local version = tonumber(p or '')
  if version and (version > 0 or i == short_run_id()) then return version end
  return raise_pending_version(key, ttl_ms)
end
`

// KEYS[1] hash     the cached boundaries
// KEYS[2] string   the user's mark
// ARGV[1] integer  TTL of the cached boundaries, ms
// Returns {r, p}.
const openLua = `${believedVersionLua}
local hint = redis.call('HMGET', KEYS[1], 'r', 'p', 'i')
local version = believed_version(KEYS[1], hint[2], hint[3], ARGV[1])
if version > 0 then redis.call('DEL', KEYS[2]) end
return { hint[1], string.format('%.0f', version) }
`

/**
 * Defines lift_hint(key, delivered, read, cleared, ttl_ms, day), which returns p. `cleared` is the version at which the pending row was seen to be
 * gone; it is 0 where no caller looked.
 */
export const liftBoundariesLua = `${believedVersionLua}
local function lift_hint(key, delivered, read, cleared, ttl_ms, day)
  local hint = redis.call('HMGET', key, 'p', 'd', 'r', 'i', 'e')
  local version = believed_version(key, hint[1], hint[4], ttl_ms)
  local changes = {}
  local function change(field, value)
    changes[#changes + 1] = field
    changes[#changes + 1] = value
  end
  if version > 0 and version == tonumber(cleared) then
    version = -version
    change('p', string.format('%.0f', version))
    change('i', short_run_id())
  end
  if tonumber(hint[2] or '-1') < tonumber(delivered) then change('d', delivered) end
  if tonumber(hint[3] or '-1') < tonumber(read) then change('r', read) end
  if hint[5] ~= day then change('e', day) end
  if #changes > 0 then redis.call('HSET', key, unpack(changes)) end
  if hint[5] ~= day then redis.call('PEXPIRE', key, ttl_ms) end
  return string.format('%.0f', version)
end
`

// KEYS[1] hash     the cached boundaries
// ARGV[1] integer  delivered
// ARGV[2] integer  read
// ARGV[3] integer  cleared
// ARGV[4] integer  TTL of the cached boundaries, ms
// ARGV[5] integer  the day
// Returns p.
const liftLua = `${liftBoundariesLua}
return lift_hint(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5])
`
