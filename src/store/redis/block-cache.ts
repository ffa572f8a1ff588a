// parley_block:{conversationId}   string, of a direct chat, lines: kind, the run id (store/redis/run-id.ts) of the Redis that took it, rest
//   known     then each member that has blocked the other; 1 hour
//   lease     then the id of the call that reads DynamoDB in order to seed it; 5 seconds
//   changing  then the id of the call that writes DynamoDB; 1 minute
// No key, or one of another run id, means that nothing is known. DynamoDB is the truth.
//
// `known` must never be older than a change that was answered. A change has the steps: begin, write DynamoDB, end. A reader that finds nothing
// has the steps: lease, read DynamoDB, seed if the lease is still there. If B blocks at the same time:
// - lease, read (old), begin, seed: `begin` has replaced the lease, so nothing is seeded. Until `end` readers ask DynamoDB.
// - lease, read (old), begin, write, end, seed: `end` has removed the key, so nothing is seeded.
// - begin, FLUSHALL, lease, read (old), write, seed (old!), end: `end` removes what was seeded, before B is answered.
// - begin, FLUSHALL, lease, read (old), write, end, seed: `end` removes the lease, too.
// - two changes at once: the first `end` leaves the other's `changing` alone; a reader after that sees what was written last.
// - a change that dies, or whose write got no answer: `changing` stays for longer than any write can be on its way.
// - a failover or a restart from a dump brings back an old `known` or an old lease: it has another run id, so nothing is known.
// A node that still talks to a replaced master reads what that one knows, for as long as it does.

import type { RedisLink } from '../../engine/redis/client.ts'
import type { BlockCache } from '../../ports/soft-state.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { RedisKeys } from './keys.ts'
import { counterLua, counterTtlMs, hashOf, reserveLua, toReservation } from './sequencer.ts'

export const knownTtlMs = 3_600_000
export const leaseTtlMs = 5000
export const changingTtlMs = 60_000

export function createBlockCacheRedis(link: RedisLink, keys: RedisKeys): BlockCache {
  const look = link.script(lookLua, 1)
  const reserve = link.script(guardedReserveLua, 2)
  const seed = link.script(seedLua, 1)
  const begin = link.script(beginLua, 1)
  const end = link.script(endLua, 1)

  return {
    async look(conversationIds, lease) {
      const found = await link.roundTrip('blockHints.look', () =>
        Promise.all(conversationIds.map((id) => look([keys.block(id)], [lease, leaseTtlMs]))),
      )
      return found.map((lines) =>
        typeof lines === 'string' ? (lines.split('\n').filter(Boolean) as UserId[]) : undefined,
      )
    },

    async reserve(conversationId, send, lease) {
      const reserved = await link.roundTrip('blockHints.reserve', () =>
        reserve(
          [keys.counter(conversationId), keys.block(conversationId)],
          [counterTtlMs, hashOf(send), send.senderId, lease, leaseTtlMs],
        ),
      )
      return reserved === 'blocked' || reserved === 'unknown' ? reserved : toReservation(reserved)
    },

    async seed(conversationId, lease, blockers) {
      await link.roundTrip('blockHints.settle', () =>
        seed([keys.block(conversationId)], [lease, blockers.join('\n'), knownTtlMs]),
      )
    },

    async begin(conversationId, change) {
      await link.roundTrip('blockHints.begin', () => begin([keys.block(conversationId)], [change, changingTtlMs]))
    },

    async end(conversationId, change) {
      await link.roundTrip('blockHints.end', () => end([keys.block(conversationId)], [change]))
    },
  }
}

const blockLua = `${counterLua}
local function starts_with(text, head)
  return string.sub(text, 1, #head) == head
end

-- The blockers, one per line, or nil where nothing is known; then the lease is left, unless there is one or a change. The key has this value.
local function blockers_of(key, value, lease, lease_ttl_ms)
  local run = run_id()
  if not run then return nil end
  value = value or ''
  local known = 'known\\n' .. run .. '\\n'
  if starts_with(value, known) then return string.sub(value, #known + 1) end
  if not starts_with(value, 'lease\\n' .. run) and not starts_with(value, 'changing\\n' .. run) then
    redis.call('SET', key, 'lease\\n' .. run .. '\\n' .. lease, 'PX', lease_ttl_ms)
  end
  return nil
end
`

// KEYS[1] string   the conversation's block key
// ARGV[1] string   the lease to leave where nothing is known
// ARGV[2] integer  TTL of the lease, ms
// Returns the blockers, one per line, or nil.
const lookLua = `${blockLua}
return blockers_of(KEYS[1], redis.call('GET', KEYS[1]), ARGV[1], ARGV[2]) or false
`

// KEYS[1] string   the conversation's counter
// KEYS[2] string   the conversation's block key
// ARGV[1] integer  TTL of the counter, ms
// ARGV[2] string   the hash of the send
// ARGV[3] string   the sender
// ARGV[4] string   the lease to leave where nothing is known
// ARGV[5] integer  TTL of the lease, ms
// Returns 'unknown', 'blocked', or what reserveLua does.
const guardedReserveLua = `${blockLua}
local values = redis.call('MGET', KEYS[1], KEYS[2])
local blockers = blockers_of(KEYS[2], values[2], ARGV[4], ARGV[5])
if not blockers then return 'unknown' end
for blocker in string.gmatch(blockers, '[^\\n]+') do
  if blocker ~= ARGV[3] then return 'blocked' end
end
local value = values[1]
${reserveLua}`

// KEYS[1] string   the conversation's block key
// ARGV[1] string   the lease
// ARGV[2] string   the blockers, one per line
// ARGV[3] integer  TTL of what is known, ms
const seedLua = `${blockLua}
local run = run_id()
if not run or redis.call('GET', KEYS[1]) ~= 'lease\\n' .. run .. '\\n' .. ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'known\\n' .. run .. '\\n' .. ARGV[2], 'PX', ARGV[3])
return 1
`

// KEYS[1] string   the conversation's block key
// ARGV[1] string   the change
// ARGV[2] integer  TTL of the change, ms
const beginLua = `${blockLua}
local run = run_id()
if not run then return 0 end
redis.call('SET', KEYS[1], 'changing\\n' .. run .. '\\n' .. ARGV[1], 'PX', ARGV[2])
return 1
`

// KEYS[1] string   the conversation's block key
// ARGV[1] string   the change
const endLua = `${blockLua}
local value = redis.call('GET', KEYS[1]) or ''
local own = 'changing\\n' .. (run_id() or '') .. '\\n' .. ARGV[1]
if starts_with(value, 'changing\\n') and value ~= own then return 0 end
redis.call('DEL', KEYS[1])
return 1
`
