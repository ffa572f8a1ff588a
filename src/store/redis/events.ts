// parley_user:{userId}            channel, see event-wire.ts
// parley_group:{conversationId}   channel: what concerns all members of a group
// parley_presence:{userId}        channel: the user's presence may have changed; published by the sessions
// The scripts publish by `publish`, which the link defines: PUBLISH, or in a cluster SPUBLISH.
// The scripts also touch keys of the sequencer (the counter), the lists (the activity), the sessions (the hash, the mark), the index stamps and
// the boundary cache.
//
// The names given to `roundTrip` are label values of a metric and names of spans: they stay as they are when a function is renamed.

import { randomUUID } from 'node:crypto'
import type { RedisLink } from '../../engine/redis/client.ts'
import type { Audience, ChatEvent, EventSubscription, Events } from '../../ports/events.ts'
import type { LogEntry } from '../../ports/log.ts'
import type { UserId } from '../../protocol/ids.ts'
import { activeSeqLua, activityTtlMs } from './activity.ts'
import { boundaryCacheTtlMs, dayOf, liftBoundariesLua, pendingVersionLua, pendingVersionOf } from './boundary-cache.ts'
import { createChannelsRedis, type OnTraced } from './channels.ts'
import { encodeEvent, eventOf } from './event-wire.ts'
import { replaceStampLua, stampTtlMs } from './index-stamps.ts'
import type { RedisKeys } from './keys.ts'
import { runIdLua } from './run-id.ts'
import { counterTtlMs, liftCounterLua } from './sequencer.ts'
import type { EndedLeases } from './session-leases.ts'
import { sessionsLua } from './sessions.ts'

type EventsRedisOptions = { nowMs: () => number; onTraced?: OnTraced | undefined }

/**
 * A session that is renewed lives for 20 minutes more at least, so a clock that differs by less than this from Redis's makes no difference. Where
 * it differs by more, somebody whose node has forgotten their session may count as attached for a while longer: as after a killed node, what is
 * sent to them waits for their next attach, which then compares everything.
 */
const clockDriftMaxMs = 300_000

export function createEventsRedis(
  link: RedisLink,
  keys: RedisKeys,
  leases: EndedLeases,
  { nowMs, onTraced }: EventsRedisOptions,
): Events {
  const publishToMember = link.script(publishEntryLua, 3)
  const liftCounter = link.script(liftLua, 2)
  const publishOwnBoundaries = link.script(publishOwnBoundariesLua, 1)
  const publishOfIndex = link.script(publishOfIndexLua, 2)
  const channels = createChannelsRedis(link, onTraced)

  /** Lifts the counter and, for a message, the activity. */
  const lift = (entry: LogEntry): Promise<unknown> =>
    liftCounter(
      [keys.counter(entry.conversationId), keys.activity(entry.conversationId)],
      [entry.seq, counterTtlMs, entry.kind === 'message' ? entry.sentAtMs : 0, activityTtlMs],
    )

  async function publishToAll(name: string, audience: Audience, event: ChatEvent): Promise<void> {
    const payload = encodeEvent(event)
    await link.roundTrip(name, () => Promise.all(channelsOf(audience).map((channel) => link.publish(channel, payload))))
  }

  /** Publishes to users whose index has changed. */
  async function publishOfIndexTo(name: string, userIds: readonly UserId[], event: ChatEvent): Promise<void> {
    const args = [encodeEvent(event), randomUUID(), stampTtlMs]
    const publishTo = (userId: UserId) => publishOfIndex([keys.channel(userId), keys.indexStamp(userId)], args)
    await link.roundTrip(name, () => Promise.all(userIds.map(publishTo)))
  }

  const channelsOf = (audience: Audience): string[] =>
    typeof audience === 'string' ? [keys.groupChannel(audience)] : audience.map(keys.channel)

  return {
    async publishEntry({ entry, members, pendingWritten = [] }) {
      const { conversationId, senderId, seq } = entry
      const publishTo = (userId: UserId, payload: string) =>
        publishToMember(
          [keys.sessions(userId), keys.pendingIndexComplete(userId), keys.cachedBoundaries({ userId, conversationId })],
          [
            keys.channel(userId),
            payload,
            conversationId,
            userId === senderId ? 1 : 0,
            pendingWritten.includes(userId) ? 1 : 0,
            boundaryCacheTtlMs,
            seq,
            nowMs() + clockDriftMaxMs,
            leases.ended(),
          ],
        )
      const answers = await link.roundTrip('events.ring', (call) => {
        const payload = encodeEvent(eventOf(entry), call?.traceparent)
        return Promise.all([...members.map((userId) => publishTo(userId, payload)), lift(entry)])
      })
      return {
        absent: members.filter((_userId, index) => !(Number(answers[index]) & 1)),
        overtaken: members.flatMap((userId, index) => {
          const delivered = Number(answers[index]) >> 1
          return delivered > 0 ? [{ userId, delivered }] : []
        }),
      }
    },

    async publishGroupEntry(entry) {
      await link.roundTrip('events.ringGroup', (call) => {
        const payload = encodeEvent(eventOf(entry), call?.traceparent)
        return Promise.all([link.publish(keys.groupChannel(entry.conversationId), payload), lift(entry)])
      })
    },

    async publishBoundaries(audience, boundaries) {
      const { userId, lastDeliveredSeq, lastReadSeq } = boundaries
      const payload = encodeEvent({ type: 'ticks', ticks: boundaries })
      const own = keys.channel(userId)
      const channelNames = channelsOf(audience)
      const others = channelNames.filter((channel) => channel !== own)
      const ownIfPublished = others.length < channelNames.length ? own : ''
      const [version] = await link.roundTrip('events.tell', () =>
        Promise.all([
          publishOwnBoundaries(
            [keys.cachedBoundaries(boundaries)],
            [lastDeliveredSeq, lastReadSeq, boundaryCacheTtlMs, dayOf(nowMs()), ownIfPublished, payload],
          ),
          ...others.map((channel) => link.publish(channel, payload)),
        ]),
      )
      return { pendingVersion: pendingVersionOf(version) }
    },

    publishGroupTicks: (group) => publishToAll('events.tell', group.conversationId, { type: 'groupTicks', group }),

    publishConversation: (userIds, conversationId) =>
      publishToAll('events.tellConversation', userIds, { type: 'conversation', conversationId }),

    publishTyping: (audience, typing) => publishToAll('events.tellTyping', audience, { type: 'typing', typing }),

    publishMembership: (userIds, membership) =>
      publishOfIndexTo('events.tellSeat', userIds, { type: 'membership', membership }),

    subscribe: (userId, listener) => channels.subscribe(keys.channel(userId), listener),

    subscribeGroup: (id, listener) => channels.subscribe(keys.groupChannel(id), listener),
    async subscribePresence(userIds, listener) {
      const names = userIds.map((userId) => keys.presenceChannel(userId))
      return joined(await Promise.allSettled(names.map((name) => channels.subscribe(name, listener))))
    },
  }
}

/** Joins all subscriptions into one. If one of them failed, it closes the others and throws. */
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
// KEYS[3] hash     the member's cached boundaries in this conversation
// ARGV[1] string   the member's channel
// ARGV[2] string   the event
// ARGV[3] string   conversation id
// ARGV[4] integer  1 if the member is the sender
// ARGV[5] integer  1 if the member's pending row was written
// ARGV[6] integer  TTL of the cached boundaries, ms
// ARGV[7] integer  the entry's seq
// ARGV[8] integer  a time, ms: a session that lives until then is alive now, although the clocks of this node and of Redis differ
// ARGV[9] string   the leases that have ended
// Returns the sum of 1 if the member is attached, and twice what the member has acked, if that was before the pending row.
const publishEntryLua = `${sessionsLua}${pendingVersionLua}
publish(ARGV[1], ARGV[2])
local overtaken = ARGV[5] == '1' and note_pending(KEYS[3], ARGV[6]) or 0
if overtaken < tonumber(ARGV[7]) then overtaken = 0 end
local attached, last_expires_ms = 0, 0
each_session(KEYS[1], function(_, state, scope, expires_ms)
  if state ~= 'left' and (scope == '*' or scope == ARGV[3]) then last_expires_ms = math.max(last_expires_ms, expires_ms) end
end)
-- Redis is asked for the time only where it decides.
if last_expires_ms > tonumber(ARGV[8]) or (last_expires_ms > 0 and last_expires_ms > now_ms()) then attached = 1 end
if ARGV[4] == '1' and attached == 0 then
  redis.call('DEL', KEYS[2])
  -- One that has left and is about to set the mark may have listened for the last time.
  if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], '!', '1') end
end
return attached + 2 * overtaken
`

// This script makes no activity, unless the counter says that this entry is the last one: a retry may publish it much later.
// KEYS[1] string   the conversation's counter
// KEYS[2] string   the conversation's activity
// ARGV[1] integer  the seq of a stored entry
// ARGV[2] integer  TTL of the counter, ms
// ARGV[3] integer  when it was sent, ms; 0 if it is no message
// ARGV[4] integer  TTL of the activity, ms
const liftLua = `${runIdLua}${activeSeqLua}${liftCounterLua}
local values = redis.call('MGET', KEYS[1], KEYS[2])
local seq, active = tonumber(ARGV[1]), active_seq(values[2])
local function is_last()
  local counter, _, run = any_counter(values[1])
  return counter and counter <= seq and run == (run_id() or '-')
end
if ARGV[3] ~= '0' and active < seq and (values[2] or is_last()) then
  redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. ARGV[3], 'PX', ARGV[4])
  active = seq
end
lift_counter(KEYS[1], values[1], seq, active, ARGV[2])
return 1
`

// KEYS[1] hash     the member's cached boundaries
// ARGV[1] integer  delivered
// ARGV[2] integer  read
// ARGV[3] integer  TTL of the cached boundaries, ms
// ARGV[4] integer  the day
// ARGV[5] string   the member's channel, or '' if nothing is published to it
// ARGV[6] string   the event
// Returns p.
const publishOwnBoundariesLua = `${liftBoundariesLua}
local version = lift_hint(KEYS[1], ARGV[1], ARGV[2], 0, ARGV[3], ARGV[4])
if ARGV[5] ~= '' then publish(ARGV[5], ARGV[6]) end
return version
`

// KEYS[1] string   the user's channel
// KEYS[2] string   the stamp of the user's index
// ARGV[1] string   the event
// ARGV[2] string   a new stamp
// ARGV[3] integer  TTL of a stamp, ms
const publishOfIndexLua = `${replaceStampLua}
replace_stamp(KEYS[2], ARGV[2], ARGV[3])
return publish(KEYS[1], ARGV[1])
`
