// parley:user:{userId}       channel, see event-wire.ts
// parley:presence:{userId}   channel: the user may appear in another way than before; published by the sessions
// Also touches what belongs to the sequencer (the counter), the sessions (the hash, the mark) and the hints (p).

import type { ChatEvent, EventSubscription, Events } from '../domain/ports.ts'
import type { UserId } from '../protocol/ids.ts'
import { createChannelsRedis } from './channels.redis.ts'
import { encodeEvent, eventOf } from './event-wire.ts'
import { hintTtlMs, pendingVersionLua } from './hints.redis.ts'
import type { RedisLink } from './redis-client.ts'
import type { RedisKeys } from './redis-keys.ts'
import { counterTtlMs } from './sequencer.redis.ts'
import { sessionsLua } from './sessions.redis.ts'

export function createEventsRedis(link: RedisLink, keys: RedisKeys): Events {
  const ringMember = link.script('eventRing', 3, ringLua)
  const liftCounter = link.script('eventLiftCounter', 1, liftCounterLua)
  const publish = link.script('eventPublish', 1, publishLua)
  const channels = createChannelsRedis(link, publish)

  async function tellAll(name: string, userIds: readonly UserId[], event: ChatEvent): Promise<void> {
    const payload = encodeEvent(event)
    await link.roundTrip(name, () => Promise.all(userIds.map((userId) => publish([keys.channel(userId)], [payload]))))
  }

  return {
    async ring({ entry, members, pendingWritten = [] }) {
      const { conversationId, senderId, seq } = entry
      const payload = encodeEvent(eventOf(entry))
      const ringOne = (userId: UserId) =>
        ringMember(
          [keys.sessions(userId), keys.mark(userId), keys.hint({ userId, conversationId })],
          [
            keys.channel(userId),
            payload,
            conversationId,
            userId === senderId ? 1 : 0,
            pendingWritten.includes(userId) ? 1 : 0,
            hintTtlMs,
          ],
        )
      const [attached] = await link.roundTrip('events.ring', () =>
        Promise.all([
          Promise.all(members.map(ringOne)),
          liftCounter([keys.counter(conversationId)], [seq, counterTtlMs]),
        ]),
      )
      return members.filter((_userId, index) => attached[index] === 0)
    },

    tell: (userIds, ticks) => tellAll('events.tell', userIds, { type: 'ticks', ticks }),

    tellTyping: (userIds, typing) => tellAll('events.tellTyping', userIds, { type: 'typing', typing }),

    subscribe: (userId, listener) => channels.subscribe(keys.channel(userId), listener),

    async subscribePresence(userIds, listener) {
      const names = userIds.map((userId) => keys.presenceChannel(userId))
      return joined(await Promise.allSettled(names.map((name) => channels.subscribe(name, listener))))
    },
  }
}

/** All of them as one, or none. */
async function joined(opened: readonly PromiseSettledResult<EventSubscription>[]): Promise<EventSubscription> {
  const all = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const close = async () => void (await Promise.all(all.map((each) => each.close())))
  const failed = opened.find((each) => each.status === 'rejected')
  if (failed) {
    await close()
    throw failed.reason
  }
  return { flush: async () => void (await Promise.all(all.map((each) => each.flush()))), close }
}

// KEYS[1] hash     the member's sessions
// KEYS[2] string   the member's mark
// KEYS[3] hash     the member's hint of this conversation
// ARGV[1] string   the member's channel
// ARGV[2] string   the event
// ARGV[3] string   conversation id
// ARGV[4] integer  1 if the member is the sender
// ARGV[5] integer  1 if the member's pending row was written
// ARGV[6] integer  TTL of the hint, ms
// Returns 1 if somebody is attached for the member.
const ringLua = `${sessionsLua}${pendingVersionLua}
redis.call('PUBLISH', ARGV[1], ARGV[2])
if ARGV[5] == '1' then raise_pending_version(KEYS[3], ARGV[6]) end
local now, attached = now_ms(), 0
each_session(KEYS[1], function(_, state, scope, expires_ms)
  if state ~= 'left' and expires_ms > now and (scope == '*' or scope == ARGV[3]) then attached = 1 end
end)
if ARGV[4] == '1' and attached == 0 then
  redis.call('DEL', KEYS[2])
  -- One that has left and is about to set the mark may have listened for the last time.
  if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], '!', '1') end
end
return attached
`

// Never makes a counter: one that is gone is seeded from the log, as this message may not be its last.
// KEYS[1] string   the conversation's counter
// ARGV[1] integer  the seq of a stored message
// ARGV[2] integer  TTL of the counter, ms
const liftCounterLua = `
local counter = redis.call('GET', KEYS[1])
if not counter then return 0 end
if tonumber(counter) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`

// A script and not a plain PUBLISH: its key sends it to the same node of a cluster as the user's messages, and what one node
// publishes arrives in order.
// KEYS[1] string   the channel
// ARGV[1] string   the event
const publishLua = `
return redis.call('PUBLISH', KEYS[1], ARGV[1])
`
