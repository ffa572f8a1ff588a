// parley_user:{userId}            channel, see event-wire.ts
// parley_group:{conversationId}   channel: what concerns all members of a group
// parley_presence:{userId}        channel: the user's presence may have changed; published by the sessions
// parley_restrictions             channel: who is refused has changed; every node hears it
// The scripts publish by `publish`, which the link defines: PUBLISH, or in a cluster SPUBLISH.
// The scripts also touch keys of the sequencer (the counter), the lists (the activity), the sessions (the hash, the mark), the index stamps, the
// tick stamps and the boundary cache.
//
// The names given to `roundTrip` are label values of a metric and names of spans: they stay as they are when a function is renamed.

import { randomUUID } from 'node:crypto'
import type { RedisLink } from '../../engine/redis/client.ts'
import type { Audience, ChatEvent, EventSubscription, Events } from '../../ports/events.ts'
import type { LogEntry } from '../../ports/log.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
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
import { newTickStamp } from './tick-stamps.ts'

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
  const publishAndLift = createPublishAndLift(link, keys, leases, nowMs)
  const publishOwnBoundaries = scriptsByKeys(link, publishOwnBoundariesLua)
  const publishTicks = link.script(publishTicksLua, 1)
  const publishOfIndex = link.script(publishOfIndexLua, 1)
  const channels = createChannelsRedis(link, onTraced)

  async function publishToAll(name: string, audience: Audience, event: ChatEvent): Promise<void> {
    const payload = encodeEvent(event)
    await link.roundTrip(name, () => Promise.all(channelsOf(audience).map((channel) => link.publish(channel, payload))))
  }

  /** Publishes to users whose index has changed. */
  async function publishOfIndexTo(name: string, userIds: readonly UserId[], event: ChatEvent): Promise<void> {
    const payload = encodeEvent(event)
    const stamp = randomUUID()
    const publishTo = (userId: UserId) =>
      publishOfIndex([keys.indexStamp(userId)], [keys.channel(userId), payload, stamp, stampTtlMs])
    await link.roundTrip(name, () => Promise.all(userIds.map(publishTo)))
  }

  /** What a stream may have missed is told by the stamp, which is replaced in the same step. */
  const publishTicksTo = (id: UserId | ConversationId, channel: string, payload: string) =>
    publishTicks([keys.tickStamp(id)], [channel, payload, newTickStamp(), stampTtlMs])

  const channelsOf = (audience: Audience): string[] =>
    typeof audience === 'string' ? [keys.groupChannel(audience)] : audience.map(keys.channel)

  return {
    async publishEntry({ entry, members, pendingWritten = [] }) {
      const answers = await link.roundTrip('events.ring', (call) =>
        publishAndLift(entry, encodeEvent(eventOf(entry), call?.traceparent), members, pendingWritten),
      )
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
        return Promise.all([
          link.publish(keys.groupChannel(entry.conversationId), payload),
          publishAndLift(entry, payload, [], []),
        ])
      })
    },

    async publishBoundaries(audience, boundaries, ofRead) {
      const { userId, lastDeliveredSeq, lastReadSeq } = boundaries
      const payload = encodeEvent({ type: 'ticks', ticks: boundaries })
      const ids: readonly (UserId | ConversationId)[] = typeof audience === 'string' ? [audience] : audience
      const others = ids.filter((id) => id !== userId)
      const ownChannel = others.length < ids.length ? keys.channel(userId) : ''
      const stamped = [...(ofRead ? [userId] : []), ...others].map(keys.tickStamp)
      // One Redis replaces all stamps in the script that it runs anyway.
      const replaced = link.isCluster ? [] : stamped
      const [version] = await link.roundTrip('events.tell', () =>
        Promise.all([
          publishOwnBoundaries(1 + replaced.length)(
            [keys.cachedBoundaries(boundaries), ...replaced],
            [
              lastDeliveredSeq,
              lastReadSeq,
              boundaryCacheTtlMs,
              dayOf(nowMs()),
              ownChannel,
              payload,
              newTickStamp(),
              stampTtlMs,
            ],
          ),
          ofRead && link.isCluster && link.commands.set(keys.tickStamp(userId), newTickStamp(), 'PX', stampTtlMs),
          ...others.map((id) => {
            const channel = typeof audience === 'string' ? keys.groupChannel(audience) : keys.channel(id as UserId)
            return link.isCluster ? publishTicksTo(id, channel, payload) : link.publish(channel, payload)
          }),
        ]),
      )
      return { pendingVersion: pendingVersionOf(version) }
    },

    async publishGroupTicks(group) {
      const { conversationId: id } = group
      const payload = encodeEvent({ type: 'groupTicks', group })
      await link.roundTrip('events.tell', () => publishTicksTo(id, keys.groupChannel(id), payload))
    },

    publishConversation: (userIds, conversationId) =>
      publishToAll('events.tellConversation', userIds, { type: 'conversation', conversationId }),

    publishTyping: (audience, typing) => publishToAll('events.tellTyping', audience, { type: 'typing', typing }),

    publishMembership: (userIds, membership) =>
      publishOfIndexTo('events.tellSeat', userIds, { type: 'membership', membership }),

    publishRestriction: (userId, version) =>
      link.roundTrip('events.publishRestriction', async () => {
        await link.publish(keys.restrictionsChannel, encodeEvent({ type: 'restriction', userId, version }))
      }),

    subscribe: (userId, listener) => channels.subscribe(keys.channel(userId), listener),

    subscribeGroup: (id, listener) => channels.subscribe(keys.groupChannel(id), listener),
    subscribeRestrictions: (listener) => channels.subscribe(keys.restrictionsChannel, listener),
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

/** Makes scripts of the same text by the number of their keys, which is a part of a script. */
function scriptsByKeys(link: RedisLink, lua: string): (numberOfKeys: number) => ReturnType<RedisLink['script']> {
  const scripts = new Map<number, ReturnType<RedisLink['script']>>()
  return (numberOfKeys) => {
    const script = scripts.get(numberOfKeys) ?? link.script(lua, numberOfKeys)
    scripts.set(numberOfKeys, script)
    return script
  }
}

/**
 * Makes a function that publishes an entry to members of a direct chat and lifts the conversation's counter. One Redis does it in one script. In a
 * cluster each member is in another slot than the conversation, so each has a call of its own, and so does the counter.
 */
function createPublishAndLift(link: RedisLink, keys: RedisKeys, leases: EndedLeases, nowMs: () => number) {
  const scriptOf = scriptsByKeys(link, publishAndLiftLua)

  /** Returns what the script says of each member, in their order. */
  return async function publishAndLift(
    entry: LogEntry,
    payload: string,
    members: readonly UserId[],
    pendingWritten: readonly UserId[],
  ): Promise<unknown[]> {
    const { conversationId, senderId, seq } = entry
    const lifted = [keys.counter(conversationId), keys.activity(conversationId)]
    const keysOf = (userId: UserId) => [
      keys.lastingSession(userId),
      keys.sessions(userId),
      keys.pendingIndexComplete(userId),
      keys.cachedBoundaries({ userId, conversationId }),
    ]
    const argsOf = (userId: UserId) => [
      keys.channel(userId),
      userId === senderId ? 1 : 0,
      pendingWritten.includes(userId) ? 1 : 0,
    ]
    const sentAtMs = entry.kind === 'message' ? entry.sentAtMs : 0
    const ofEntry = [seq, sentAtMs, counterTtlMs, activityTtlMs]
    const ofMembers = [payload, conversationId, boundaryCacheTtlMs, nowMs() + clockDriftMaxMs]
    const run = async (allKeys: readonly string[], some: readonly UserId[]) =>
      (await scriptOf(allKeys.length)(allKeys, [
        ...ofEntry,
        ...(some.length > 0 ? ofMembers : []),
        ...some.flatMap(argsOf),
        leases.ended(),
      ])) as unknown[]

    if (!link.isCluster) return run([...members.flatMap(keysOf), ...lifted], members)
    const calls = members.map((userId) => run(keysOf(userId), [userId]))
    const [answers] = await Promise.all([Promise.all(calls), run(lifted, [])])
    return answers.flat()
  }
}

// It makes no activity, unless the counter says that this entry is the last one: a retry may publish it much later.
// For each member, KEYS has
//   string   a session of the member that lives for long
//   hash     the member's sessions
//   string   the member's mark
//   hash     the member's cached boundaries in this conversation
// and then, unless a call of its own lifts it:
//   string   the conversation's counter
//   string   the conversation's activity
// ARGV[1] integer  the seq of a stored entry
// ARGV[2] integer  when it was sent, ms; 0 if it is no message
// ARGV[3] integer  TTL of the counter, ms
// ARGV[4] integer  TTL of the activity, ms
// and where there are members:
// ARGV[5] string   the event
// ARGV[6] string   conversation id
// ARGV[7] integer  TTL of the cached boundaries, ms
// ARGV[8] integer  a time, ms: a session that lives until then is alive now, although the clocks of this node and of Redis differ
// then for each of them:
//   string   the member's channel
//   integer  1 if the member is the sender
//   integer  1 if the member's pending row was written
// and the last one:
//   string   the leases that have ended
// Returns for each member the sum of 1 if the member is attached, and twice what the member has acked, if that was before the pending row.
const publishAndLiftLua = `${sessionsLua}${pendingVersionLua}${runIdLua}${activeSeqLua}${liftCounterLua}
local seq = tonumber(ARGV[1])
local members = math.floor(#KEYS / 4)

-- All that is read in any case is read at once: of each member a session that lives for long, then the counter and the activity.
local asked = {}
for i = 1, members do asked[i] = KEYS[4 * i - 3] end
for i = 4 * members + 1, #KEYS do asked[#asked + 1] = KEYS[i] end
local values = redis.call('MGET', unpack(asked))

local function is_attached(lasting, sessions_key)
  local lasts_until_ms, connection_id = string.match(lasting or '', '^(%d+) (.+)$')
  if lasts_until_ms and tonumber(lasts_until_ms) > tonumber(ARGV[8]) and not lease_ended_ms(connection_id) then
    return true
  end
  local last_expires_ms = 0
  each_session(sessions_key, function(_, state, scope, expires_ms)
    if state ~= 'left' and (scope == '*' or scope == ARGV[6]) then last_expires_ms = math.max(last_expires_ms, expires_ms) end
  end)
  -- Redis is asked for the time only where it decides.
  return last_expires_ms > tonumber(ARGV[8]) or (last_expires_ms > 0 and last_expires_ms > now_ms())
end

local function publish_to_member(lasting, sessions_key, mark_key, cached_key, channel, is_sender, pending_written)
  publish(channel, ARGV[5])
  local overtaken = pending_written == '1' and note_pending(cached_key, ARGV[7]) or 0
  if overtaken < seq then overtaken = 0 end
  if is_attached(lasting, sessions_key) then return 1 + 2 * overtaken end
  if is_sender == '1' then
    redis.call('DEL', mark_key)
    -- One that has left and is about to set the mark may have listened for the last time.
    if redis.call('EXISTS', sessions_key) == 1 then redis.call('HSET', sessions_key, '!', '1') end
  end
  return 2 * overtaken
end

local function lift(counter_key, counter_value, activity_key, activity)
  local active = active_seq(activity)
  local function is_last()
    local counter, _, run = any_counter(counter_value)
    return counter and counter <= seq and run == (run_id() or '-')
  end
  if ARGV[2] ~= '0' and active < seq and (activity or is_last()) then
    redis.call('SET', activity_key, ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[4])
    active = seq
  end
  lift_counter(counter_key, counter_value, seq, active, ARGV[3])
end

local answers = {}
for i = 1, members do
  local key, arg = 4 * i - 2, 6 + 3 * i
  answers[i] = publish_to_member(
    values[i], KEYS[key], KEYS[key + 1], KEYS[key + 2], ARGV[arg], ARGV[arg + 1], ARGV[arg + 2]
  )
end
if #KEYS > 4 * members then lift(KEYS[#KEYS - 1], values[members + 1], KEYS[#KEYS], values[members + 2]) end
return answers
`

// KEYS[1] hash     the member's cached boundaries
// and then
//   string   the tick stamps that are replaced
// ARGV[1] integer  delivered
// ARGV[2] integer  read
// ARGV[3] integer  TTL of the cached boundaries, ms
// ARGV[4] integer  the day
// ARGV[5] string   the member's channel, or '' if nothing is published to it
// ARGV[6] string   the event
// ARGV[7] string   a new stamp
// ARGV[8] integer  TTL of a stamp, ms
// Returns p.
const publishOwnBoundariesLua = `${liftBoundariesLua}
for i = 2, #KEYS do redis.call('SET', KEYS[i], ARGV[7], 'PX', ARGV[8]) end
local version = lift_hint(KEYS[1], ARGV[1], ARGV[2], 0, ARGV[3], ARGV[4])
if ARGV[5] ~= '' then publish(ARGV[5], ARGV[6]) end
return version
`

// While a slot moves, a script may name one key alone: with more of them it is refused unless all have moved, or none. So channels, which are in the
// slot of the stamp, are no keys.

// KEYS[1] string   the tick stamp of a user or a group
// ARGV[1] string   their channel
// ARGV[2] string   the event
// ARGV[3] string   a new stamp
// ARGV[4] integer  TTL of a stamp, ms
const publishTicksLua = `
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
return publish(ARGV[1], ARGV[2])
`

// KEYS[1] string   the stamp of the user's index
// ARGV[1] string   the user's channel
// ARGV[2] string   the event
// ARGV[3] string   a new stamp
// ARGV[4] integer  TTL of a stamp, ms
const publishOfIndexLua = `${replaceStampLua}
replace_stamp(KEYS[1], ARGV[3], ARGV[4])
return publish(ARGV[1], ARGV[2])
`
