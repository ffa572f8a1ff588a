// parley:seq:{conversationId}                      string, the last seq given; 30 days from its last use
// parley:sent:{conversationId}:<sender>#<client id>  string, the seq this send was given; 1 day

import type { Reservation, Sequencer } from '../ports/soft-state.ts'
import type { RedisLink } from './redis-client.ts'
import { dayMs, type RedisKeys } from './redis-keys.ts'

export const counterTtlMs = 30 * dayMs
export const sentTtlMs = dayMs

export function createSequencerRedis(link: RedisLink, keys: RedisKeys): Sequencer {
  const reserve = link.script(reserveLua, 2)
  const seed = link.script(seedLua, 1)
  const reserveAbove = link.script(reserveAboveLua, 1)
  const giveBack = link.script(giveBackLua, 1)

  return {
    async reserve(conversationId, send) {
      return toReservation(
        await link.roundTrip('sequencer.reserve', () =>
          reserve([keys.counter(conversationId), keys.sent(conversationId, send)], [counterTtlMs, sentTtlMs]),
        ),
      )
    },

    async seed(conversationId, lastSeq) {
      await link.roundTrip('sequencer.seed', () => seed([keys.counter(conversationId)], [lastSeq, counterTtlMs]))
    },

    async reserveAbove(conversationId, taken) {
      return Number(
        await link.roundTrip('sequencer.reserveAbove', () =>
          reserveAbove([keys.counter(conversationId)], [taken, counterTtlMs]),
        ),
      )
    },

    // A send remembered with the seq that is taken back keeps it, and somebody else is given it too. That is safe: what is
    // remembered only saves a number. The send's claim decides its seq, and the log's cell decides whose it is; the
    // loser of the cell reserves above it.
    async giveBack(conversationId, seq) {
      const givenBack = await link.roundTrip('sequencer.giveBack', () =>
        giveBack([keys.counter(conversationId)], [seq]),
      )
      return givenBack === 1
    },

    async heads(conversationIds) {
      const heads = await link.roundTrip('sequencer.heads', () =>
        Promise.all(conversationIds.map((conversationId) => link.commands.get(keys.counter(conversationId)))),
      )
      return heads.map((head) => (head === null ? undefined : Number(head)))
    },
  }
}

export const toReservation = (reserved: unknown): Reservation | undefined =>
  Array.isArray(reserved) ? { seq: Number(reserved[0]), known: reserved[1] === 1 } : undefined

// KEYS[1] string   the conversation's counter
// KEYS[2] string   the seq this send was given before
// ARGV[1] integer  TTL of the counter, ms
// ARGV[2] integer  TTL of the remembered send, ms
// Returns {seq, 1 if it was known}, or nil where the counter is gone.
export const reserveLua = `
local known = redis.call('GET', KEYS[2])
if known then return {tonumber(known), 1} end
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local seq = redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('SET', KEYS[2], seq, 'PX', ARGV[2])
return {seq, 0}
`

// KEYS[1] string   the conversation's counter
// ARGV[1] integer  the least it shall be
// ARGV[2] integer  TTL of the counter, ms
const seedLua = `
local counter = redis.call('GET', KEYS[1])
if not counter or tonumber(counter) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return 1
`

// Where the counter is gone it stays so: a counter must not stand below the log's last row, and only a reader of the log
// knows that row.
// KEYS[1] string   the conversation's counter
// ARGV[1] integer  a taken seq
// ARGV[2] integer  TTL of the counter, ms
// Returns the next seq above both.
const reserveAboveLua = `
local counter = redis.call('GET', KEYS[1])
if not counter then return ARGV[1] + 1 end
local seq = math.max(tonumber(counter), tonumber(ARGV[1])) + 1
redis.call('SET', KEYS[1], seq, 'PX', ARGV[2])
return seq
`

// KEYS[1] string   the conversation's counter
// ARGV[1] integer  the seq to take back
// Returns 1 if it was the last one given.
const giveBackLua = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DECR', KEYS[1])
return 1
`
