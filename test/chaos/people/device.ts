import type { Random } from '../../simulation/random.ts'
import { type AddedSeen, answerOf, type Device, type History, isGroup } from '../checks/history.ts'
import type { ChaosClient } from './client.ts'
import type { Ending, Subscription } from './connection.ts'
import type { GroupHints } from './group-hints.ts'
import { pause } from './sender.ts'

// Plays a reader, who follows, acks the unbroken prefix and no more, marks as read, looks at old pages and at ticks, goes
// away and comes back, and after any loss returns to a random node.

/**
 * `resume`: one stream of everything, after what the device holds. `plain`: one stream, and the server decides where to begin; this is only
 * for the one device of its user, since what another device has acked would not come. `apart`: one stream per conversation, after what the
 * device holds.
 */
export type FollowStyle = 'resume' | 'plain' | 'apart'

type DeviceOptions = {
  client: ChaosClient
  style: FollowStyle
  /** Whether it also follows changes of messages. Only a device that names its positions does. */
  followsChanges: boolean
  conversationIds: readonly string[]
  foreignIds: readonly string[]
  hints: GroupHints
  established: Set<string>
  random: Random
  history: History
  nowMs: () => number
  quiet: AbortSignal
  over: AbortSignal
}

export type ChaosDevice = ReturnType<typeof createDevice>

export function createDevice(options: DeviceOptions) {
  const {
    client,
    style,
    followsChanges,
    conversationIds,
    foreignIds,
    hints,
    established,
    random,
    history,
    nowMs,
    quiet,
    over,
  } = options
  const { userId } = client
  const held = new Map<string, Set<number>>()
  const heldChanges = new Map<string, Set<number>>()
  /** The seq of the last change seen. */
  const changedUpTo = new Map<string, number>()
  /** The device was told that it is not in these groups, and when. */
  const turnedAway = new Map<string, number>()
  /** The device holds everything up to here, without a gap. */
  const prefix = new Map<string, number>()
  const acking = new Set<string>()
  const open = new Set<Subscription>()
  const record: Device = { client: client.client, userId, sinceMs: nowMs(), away: [], changes: followsChanges }
  let away: AbortController | undefined
  history.devices.push(record)

  function take({ message: { conversationId, seq }, previousSeq }: AddedSeen): void {
    add(held, conversationId, seq)
    const at = prefix.get(conversationId) ?? 0
    if (previousSeq > at) return
    prefix.set(conversationId, Math.max(at, seq))
    void acknowledge(conversationId)
  }

  /** Makes one ack at a time per conversation, of what the device holds when its turn comes. */
  async function acknowledge(conversationId: string): Promise<void> {
    if (acking.has(conversationId)) return
    acking.add(conversationId)
    await pause(random.between(10, 600), over)
    const seq = prefix.get(conversationId) ?? 0
    const kind = random.chance(0.4) ? 'read' : 'ack'
    const call = over.aborted
      ? undefined
      : await client.bound(kind, { conversationId, seq: random.chance(0.8) ? seq : random.between(1, seq) })
    acking.delete(conversationId)
    if (call && (prefix.get(conversationId) ?? 0) > seq && answerOf(call)) void acknowledge(conversationId)
  }

  /** Returns the groups that its user seems to be in, without one that was just said not to exist. */
  const groupIds = (): string[] =>
    hints.of(userId).filter((id) => nowMs() - (turnedAway.get(id) ?? Number.NEGATIVE_INFINITY) > turnedAwayMs)

  const positions = (ids: readonly string[], at: ReadonlyMap<string, number> = prefix): Record<string, number> =>
    Object.fromEntries(
      ids.filter((id) => established.has(id) || isGroup(id)).map((id): [string, number] => [id, at.get(id) ?? 0]),
    )

  const everything = () => [...conversationIds, ...groupIds()]

  /** If the stream was refused because of a group, the group is left out until the crowd hears otherwise. */
  function heed({ refused }: Ending, named: readonly string[]): void {
    if (refused?.code !== 'NOT_FOUND') return
    for (const id of named.filter(isGroup)) turnedAway.set(id, nowMs())
  }

  /** Keeps one stream going until the end, over as many subscriptions as it takes. */
  async function keepFollowing(conversationId?: string): Promise<void> {
    let failures = 0
    let last: Subscription | undefined
    while (!over.aborted && !(conversationId && isGroup(conversationId) && !groupIds().includes(conversationId))) {
      const scope = conversationId === undefined ? {} : { conversationId }
      const after = positions(conversationId === undefined ? everything() : [conversationId])
      const subscription = client.follow({ ...scope, ...(style !== 'plain' && { after }) }, take, last?.node)
      last = subscription
      // A chat that could not be named yet begins where the user's other device is. Once it exists, it is named.
      const timer = setInterval(() => {
        if (style === 'resume' && hasNew(after)) subscription.close()
      }, 300)
      failures = (await hold(subscription, Object.keys(after))) ? 0 : failures + 1
      clearInterval(timer)
      await pause(backOffMs(failures), over)
      await backAgain()
    }
  }

  const hasNew = (after: Record<string, number>): boolean =>
    everything().some((id) => (established.has(id) || isGroup(id)) && !(id in after))

  /** Follows changes of messages: one stream of everything, after the last change that this device has seen. */
  async function keepFollowingChanges(): Promise<void> {
    let failures = 0
    let last: Subscription | undefined
    while (!over.aborted) {
      const after = positions(everything(), changedUpTo)
      const subscription = client.followChanges(
        after,
        ({ message: { conversationId }, seq, previousSeq }) => {
          add(heldChanges, conversationId, seq)
          // A group that was not named may begin anywhere. It is soon named.
          if (previousSeq <= (changedUpTo.get(conversationId) ?? 0)) changedUpTo.set(conversationId, seq)
        },
        last?.node,
      )
      last = subscription
      const timer = setInterval(() => hasNew(after) && subscription.close(), 300)
      failures = (await hold(subscription, Object.keys(after))) ? 0 : failures + 1
      clearInterval(timer)
      await pause(backOffMs(failures), over)
      await backAgain()
    }
  }

  async function keepFollowingTicks(): Promise<void> {
    let failures = 0
    let last: Subscription | undefined
    while (!over.aborted) {
      const known = [...conversationIds.filter((id) => established.has(id)), ...groupIds()]
      const scope = known.length > 0 && random.chance(0.7) ? random.pick(known) : undefined
      const subscription = client.followTicks(scope, last?.node)
      last = subscription
      const timer = setTimeout(subscription.close, random.between(5000, 20_000))
      failures = (await hold(subscription, scope ? [scope] : [])) ? 0 : failures + 1
      clearTimeout(timer)
      await pause(backOffMs(failures), over)
      await backAgain()
    }
  }

  /** Waits until it ends. Returns whether it lasted for a while. */
  async function hold(subscription: Subscription, named: readonly string[]): Promise<boolean> {
    const openedAtMs = nowMs()
    open.add(subscription)
    if (over.aborted || away) subscription.close()
    heed(await subscription.ended, named)
    open.delete(subscription)
    return nowMs() - openedAtMs > 1000
  }

  /** The device comes back as clients should: soon, but not all at once, and less and less often where no node answers. */
  const backOffMs = (failures: number): number => random.between(30, Math.min(300 * 2 ** failures, 1200))

  async function backAgain(): Promise<void> {
    while (away && !away.signal.aborted) await pause(60_000, away.signal)
  }

  const closeAll = () => {
    for (const subscription of open) subscription.close()
  }

  /** Now and then the device goes away for a while, with or without a goodbye. */
  async function comeAndGo(): Promise<void> {
    while (!quiet.aborted) {
      await pause(random.between(6000, 25_000), quiet)
      if (quiet.aborted) return
      const stay = { fromMs: nowMs(), toMs: Number.POSITIVE_INFINITY }
      record.away.push(stay)
      const coming = new AbortController()
      away = coming
      if (random.chance(0.5)) closeAll()
      else for (const subscription of open) subscription.drop()
      await pause(random.between(300, 5000), quiet)
      away = undefined
      coming.abort()
      stay.toMs = nowMs()
    }
  }

  async function lookAround(): Promise<void> {
    while (!quiet.aborted) {
      await pause(random.between(400, 2500), quiet)
      if (quiet.aborted) return
      // Now and then it also asks in groups that its user is not in, and must be told that there is no such group.
      const groups = random.chance(0.1) ? hints.ids() : hints.of(userId)
      const known = [...conversationIds.filter((id) => established.has(id)), ...groups]
      if (known.length === 0) continue
      const conversationId = random.pick(known)
      const what = random.next()
      if (what < 0.6) await leafThrough(conversationId)
      else if (what < 0.9) await client.ticks(conversationId)
      else if (foreignIds.length > 0) await client.probe(random.pick(foreignIds))
    }
  }

  async function leafThrough(conversationId: string): Promise<void> {
    const from = random.pick(['newest', 'newest', 'oldest'] as const)
    const count = random.between(1, 40)
    let cursor: string | undefined
    for (let pages = random.between(1, 3); pages > 0; pages -= 1) {
      const outcome = await client.page({ conversationId, count, from, ...(cursor && { cursor }) })
      if (!('answer' in outcome) || !outcome.answer.more || !outcome.answer.cursor) return
      cursor = outcome.answer.cursor
    }
  }

  return {
    client,
    name: client.client,
    userId,
    /** Returns what it does not hold yet of what is wanted, or undefined if it has everything. */
    lacks: ({ messages, changes }: Wanted): string | undefined =>
      firstLacking(held, messages) ?? (followsChanges ? firstLacking(heldChanges, changes) : undefined),
    /** Resolves when `over` is aborted and all has ended. */
    async run(): Promise<void> {
      over.addEventListener('abort', closeAll, { once: true })
      const streams =
        style === 'apart' ? [...conversationIds.map((id) => followOnceThere(id)), followGroups()] : [keepFollowing()]
      if (followsChanges) streams.push(keepFollowingChanges())
      await Promise.all([...streams, keepFollowingTicks(), comeAndGo(), lookAround()])
      await client.close()
    },
    /** Drops every subscription, to come back somewhere. */
    reconnect: closeAll,
  }

  async function followOnceThere(conversationId: string): Promise<void> {
    while (!established.has(conversationId) && !over.aborted) await pause(100, over)
    if (!over.aborted) await keepFollowing(conversationId)
  }
  /** One stream for each group, as long as its user is in it. */
  async function followGroups(): Promise<void> {
    const followed = new Map<string, Promise<void>>()
    while (!over.aborted) {
      for (const id of groupIds()) {
        if (!followed.has(id))
          followed.set(
            id,
            keepFollowing(id).finally(() => followed.delete(id)),
          )
      }
      await pause(200, over)
    }
    await Promise.all(followed.values())
  }
}

/** The devices must hold these in the end, by conversation: messages, and changes. */
export type Wanted = { messages: ReadonlyMap<string, Iterable<number>>; changes: ReadonlyMap<string, Iterable<number>> }

const turnedAwayMs = 1000

function add(held: Map<string, Set<number>>, conversationId: string, seq: number): void {
  const own = held.get(conversationId) ?? new Set()
  held.set(conversationId, own.add(seq))
}

function firstLacking(
  held: ReadonlyMap<string, ReadonlySet<number>>,
  wanted: ReadonlyMap<string, Iterable<number>>,
): string | undefined {
  for (const [id, seqs] of wanted) for (const seq of seqs) if (!held.get(id)?.has(seq)) return `#${seq} of ${id}`
  return undefined
}
