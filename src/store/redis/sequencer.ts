// parley_seq:{conversationId}                      string, 30 days from its last use; one of
//   "<seq>/<published> <run id>"  the last seq given, how far the log is known to be taken, and the Redis process that gave it. A message that
//                                 is the conversation's activity (activity.ts) was published as well: this spares each message a write.
//                                 Then " <send>=<seq>" for each of the last sends that were given a seq, newest first
//   "?<token> <run id>"           a node is reading the log in order to seed it; 10 seconds
// What has another run id counts as absent: a replica that takes over may be below what was published.
//
// A send that is repeated soon gets its seq back, and no number is skipped. That decides nothing: the claim in DynamoDB does, and never expires.
// So a send that is not among the last ones any more, or has the same hash as another, costs a few calls more.

import { createHash, randomUUID } from 'node:crypto'
import type { RedisLink } from '../../engine/redis/client.ts'
import type { Reservation, SendKey, Sequencer } from '../../ports/soft-state.ts'
import { activeSeqLua } from './activity.ts'
import { createBatchScript, glanceAt } from './batch-script.ts'
import { dayMs, type RedisKeys } from './keys.ts'
import { runIdLua } from './run-id.ts'

export const counterTtlMs = 30 * dayMs
/** This is longer than a read of the log's end takes. */
export const seedTokenTtlMs = 10_000

export function createSequencerRedis(link: RedisLink, keys: RedisKeys): Sequencer {
  const reserve = link.script(`${counterLua}local value = redis.call('GET', KEYS[1])${reserveLua}`, 1)
  const prepareSeed = link.script(prepareSeedLua, 1)
  const seed = link.script(seedLua, 1)
  const reserveAbove = link.script(reserveAboveLua, 1)
  const giveBack = link.script(giveBackLua, 2)
  const getCounters = createBatchScript(link, getCountersLua, glanceAt(counterLua, 'parse_counter(value) or false'))

  return {
    async reserve(conversationId, send) {
      return toReservation(
        await link.roundTrip('sequencer.reserve', () =>
          reserve([keys.counter(conversationId)], [counterTtlMs, hashOf(send)]),
        ),
      )
    },

    async prepareSeed(conversationId) {
      return String(
        await link.roundTrip('sequencer.prepareSeed', () =>
          prepareSeed([keys.counter(conversationId)], [randomUUID(), seedTokenTtlMs]),
        ),
      )
    },

    async seed(conversationId, lastSeq, token) {
      await link.roundTrip('sequencer.seed', () => seed([keys.counter(conversationId)], [lastSeq, counterTtlMs, token]))
    },

    async reserveAbove(conversationId, taken) {
      return Number(
        await link.roundTrip('sequencer.reserveAbove', () =>
          reserveAbove([keys.counter(conversationId)], [taken, counterTtlMs]),
        ),
      )
    },

    // A send that is remembered with the seq that is taken back keeps it, and another send is given the same seq. That is safe: what is
    // remembered only saves a seq. The send's claim decides its seq, and the log's cell decides which of the two gets it; the other reserves
    // above it.
    async giveBack(conversationId, seq) {
      const givenBack = await link.roundTrip('sequencer.giveBack', () =>
        giveBack([keys.counter(conversationId), keys.activity(conversationId)], [seq, counterTtlMs]),
      )
      return givenBack === 1
    },

    async counters(conversationIds) {
      const counters = await link.roundTrip('sequencer.heads', () => getCounters(conversationIds.map(keys.counter)))
      return counters.map((seq) => (seq === null ? undefined : Number(seq)))
    },
  }
}

/** 48 bits tell the last sends of a conversation apart. It has no character that means something to a pattern or in the counter. */
export const hashOf = ({ senderId, clientMessageId }: SendKey): string =>
  createHash('sha1').update(`${senderId}#${clientMessageId}`).digest('base64url').slice(0, 8)

export const toReservation = (reserved: unknown): Reservation | undefined =>
  Array.isArray(reserved) ? { seq: Number(reserved[0]), known: reserved[1] === 1 } : undefined

/** So many sends are remembered for each conversation. */
export const lastSendsMax = 8

/** Defines parse_counter(value), get_counter(key), set_counter(key, seq, published, sends, ttl_ms) and keep(key, text, sends, ttl_ms). */
export const counterLua = `${runIdLua}
-- The counter, how far was published, and the last sends; nil and a token where a node is about to seed it; nil and nil where there is neither.
local function parse_counter(value)
  local text, run, sends = string.match(value or '', '^(%S+) (%S+)(.*)$')
  if not text or run ~= (run_id() or '-') then return nil, nil end
  if string.sub(text, 1, 1) == '?' then return nil, string.sub(text, 2) end
  local seq, published = string.match(text, '^(%d+)/(%d+)$')
  return tonumber(seq), tonumber(published), sends
end

local function get_counter(key)
  return parse_counter(redis.call('GET', key))
end

local function keep(key, text, sends, ttl_ms)
  redis.call('SET', key, text .. ' ' .. (run_id() or '-') .. sends, 'PX', ttl_ms)
end

local function set_counter(key, seq, published, sends, ttl_ms)
  keep(key, string.format('%.0f/%.0f', seq, published), sends, ttl_ms)
end
`

/**
 * Defines any_counter(value) and lift_counter(key, value, seq, active, ttl_ms), which is called where an entry is published. `value` is that of the
 * key, and `active` the seq of the conversation's activity.
 *
 * Neither asks which Redis process this is. A counter keeps the run id that it has: if that is another process's, it still counts as absent, and
 * when its slot comes back it is not below what was published meanwhile.
 *
 * lift_counter never makes a counter: a missing one is seeded from the log, as this entry may not be its last. A node that is about to seed it may
 * have read the log before this entry was there, so its token is deleted. Nothing is written where the counter is not below the entry and the
 * activity says that it was published, as after nearly every send.
 */
export const liftCounterLua = `
local function any_counter(value)
  local seq, published, run, sends = string.match(value or '', '^(%d+)/(%d+) (%S+)(.*)$')
  return tonumber(seq), tonumber(published), run, sends
end

local function lift_counter(key, value, seq, active, ttl_ms)
  local counter, published, run, sends = any_counter(value)
  if not counter then
    if value then redis.call('DEL', key) end
  elseif counter < seq or math.max(published, active) < seq then
    local lifted = string.format('%.0f/%.0f %s%s', math.max(counter, seq), math.max(published, seq), run, sends)
    redis.call('SET', key, lifted, 'PX', ttl_ms)
  end
end
`

// It follows counterLua, and reads nothing itself, so that one command reads all that a send needs.
// KEYS[1] string   the conversation's counter; `value` is what it holds
// ARGV[1] integer  TTL of the counter, ms
// ARGV[2] string   the hash of the send
// Returns {seq, 1 if it was known}, or nil where there is no counter.
export const reserveLua = `
local counter, published, sends = parse_counter(value)
if not counter then return false end
local send = ' ' .. ARGV[2] .. '='
local _, known = string.find(sends, send, 1, true)
if known then return {tonumber(string.match(sends, '^%d+', known + 1)), 1} end
local others = string.match(sends, '^${' %S+'.repeat(lastSendsMax - 1)}') or sends
set_counter(KEYS[1], counter + 1, published, send .. string.format('%.0f', counter + 1) .. others, ARGV[1])
return {counter + 1, 0}
`

// KEYS string   the counters of conversations
// Returns for each the counter, or nil where there is none.
const getCountersLua = `${counterLua}
local counters = {}
for i, value in ipairs(redis.call('MGET', unpack(KEYS))) do
  local counter = parse_counter(value)
  counters[i] = counter or false
end
return counters
`

// KEYS[1] string   the conversation's counter
// ARGV[1] string   a token
// ARGV[2] integer  its TTL, ms
// Returns the token that is there now, or this one where there is a counter.
const prepareSeedLua = `${counterLua}
local counter, token = get_counter(KEYS[1])
if counter then return ARGV[1] end
if token then return token end
keep(KEYS[1], '?' .. ARGV[1], '', ARGV[2])
return ARGV[1]
`

// KEYS[1] string   the conversation's counter
// ARGV[1] integer  the last seq of the log
// ARGV[2] integer  TTL of the counter, ms
// ARGV[3] string   the token
const seedLua = `${counterLua}
local counter, other, sends = get_counter(KEYS[1])
local last = tonumber(ARGV[1])
if counter then
  set_counter(KEYS[1], math.max(counter, last), math.max(other, last), sends, ARGV[2])
elseif other == ARGV[3] then
  set_counter(KEYS[1], last, last, '', ARGV[2])
end
return 1
`

// The script never makes a missing counter: a counter must not be below the log's last row, and only a reader of the log knows that row.
// KEYS[1] string   the conversation's counter
// ARGV[1] integer  a taken seq
// ARGV[2] integer  TTL of the counter, ms
// Returns the next seq above both.
const reserveAboveLua = `${counterLua}
local counter, published, sends = get_counter(KEYS[1])
local taken = tonumber(ARGV[1])
if not counter then return taken + 1 end
local seq = math.max(counter, taken) + 1
set_counter(KEYS[1], seq, math.max(published, taken), sends, ARGV[2])
return seq
`

// Seqs are not unique after Redis has lost data: another send may have been given this one after a flush, and may have published it. A published
// seq is never given back, or the counter would fall below it.
// KEYS[1] string   the conversation's counter
// KEYS[2] string   the conversation's activity
// ARGV[1] integer  the seq to take back
// ARGV[2] integer  TTL of the counter, ms
// Returns 1 if it was the last one given.
const giveBackLua = `${counterLua}${activeSeqLua}
local values = redis.call('MGET', KEYS[1], KEYS[2])
local counter, published, sends = parse_counter(values[1])
local seq = tonumber(ARGV[1])
if counter ~= seq or published >= seq or active_seq(values[2]) >= seq then return 0 end
set_counter(KEYS[1], seq - 1, published, sends, ARGV[2])
return 1
`
