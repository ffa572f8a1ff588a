import type { FeedEvent } from '../../src/domain/feed/feed-events.ts'
import { feedBeginning } from '../../src/domain/feed/positions.ts'
import type { ConversationId, Seq } from '../../src/protocol/ids.ts'
import type { Change } from './bugs/bugs.ts'
import { client } from './clients.ts'
import { type Anomaly, type FinalChat, groupBy } from './final-log.ts'
import { chainOf } from './tenures.ts'
import type { World } from './world.ts'

// Runs in which everything is announced in the feed. One consumer reads it during the run, at nodes that die; another one reads it at the end.

/** This is no bug. */
export const withFeed: Change = { name: 'feed', feed: true, plant: (ports) => ports }

const pageSize = 8
/** An announcement without its cell is waited for, for less than this. */
const quietMs = 45_000

/** An event, and whether its cell was written when it was given. */
export type Fed = { conversationId: ConversationId; seq: Seq; type: string; isReadable: boolean }

/** Reads the feed for ever, each time from where it was answered last. */
export async function runConsumer(world: World, fed: Fed[]): Promise<void> {
  const { random, scheduler } = world
  const owner = client('consumer')
  let from = feedBeginning
  for (;;) {
    const node = random.pick(world.nodes)
    const reader = node.domain.feed.open(from)
    try {
      while (random.chance(0.9)) {
        const events = await world.ask(owner, node, () => reader.read(pageSize))
        from = reader.positions()
        await noteAll(world, fed, events)
        await scheduler.sleep(owner, random.between(50, 1500))
      }
    } catch {
      await scheduler.sleep(owner, random.between(50, 3000))
    }
  }
}

/** Reads the whole feed when nothing is written any more. */
export async function readWholeFeed(world: World, fed: Fed[]): Promise<void> {
  const { scheduler } = world
  const owner = client('archivist')
  const node = world.living()[0]
  if (!node) return
  const reader = node.domain.feed.open(feedBeginning)
  for (let quietSinceMs = scheduler.now(); scheduler.now() - quietSinceMs < quietMs; ) {
    const events = await world.ask(owner, node, () => reader.read(pageSize)).catch(() => [])
    await noteAll(world, fed, events)
    if (events.length > 0) quietSinceMs = scheduler.now()
    await scheduler.sleep(owner, 500)
  }
}

async function noteAll({ truth }: World, fed: Fed[], events: readonly FeedEvent[]): Promise<void> {
  for (const { conversationId, seq, type } of events) {
    if (conversationId === undefined || seq === undefined) continue
    const cell = await truth.messages.get({ conversationId, seq })
    fed.push({ conversationId, seq, type, isReadable: cell !== undefined && cell.kind !== 'void' })
  }
}

/** Every entry that counts is in the feed: once for the one who reads at the end, at least once for the other; in order, and not too early. */
export function checkFeed(chats: readonly FinalChat[], during: readonly Fed[], atEnd: readonly Fed[]): Anomaly[] {
  const wanted = chats.flatMap(({ id, group, rows }) => {
    const versions = new Set(group ? chainOf(group, rows).map(({ seq }) => seq) : [])
    return rows
      .filter(({ kind, seq }) => kind === 'message' || kind === 'change' || (kind === 'group' && versions.has(seq)))
      .map(({ seq }) => `${id} ${seq}`)
  })
  const anomaly = (what: string): Anomaly => ({ promise: 'feed', what })
  return [
    ...missing('during the run', wanted, during),
    ...missing('at the end', wanted, atEnd),
    ...disordered('during the run', firstTimes(during)),
    ...disordered('at the end', atEnd),
    ...[...during, ...atEnd]
      .filter(({ isReadable }) => !isReadable)
      .map(({ conversationId, seq }) => anomaly(`#${seq} of ${conversationId} was in the feed before it was written`)),
    ...[...groupBy(atEnd, keyOf)]
      .filter(([, times]) => times.length > 1)
      .map(([key, times]) => anomaly(`${key} is in the feed ${times.length} times`)),
  ]

  function missing(when: string, keys: readonly string[], fed: readonly Fed[]): Anomaly[] {
    const there = new Set(fed.map((each) => `${each.conversationId} ${each.seq}`))
    return keys.filter((key) => !there.has(key)).map((key) => anomaly(`${key} is not in the feed ${when}`))
  }

  function disordered(when: string, fed: readonly Fed[]): Anomaly[] {
    return [...groupBy(fed, ({ conversationId }) => conversationId)].flatMap(([id, all]) =>
      all
        .filter(({ seq }, i) => seq < (all[i - 1]?.seq ?? 0))
        .map(({ seq }) => anomaly(`#${seq} of ${id} came after a later entry ${when}`)),
    )
  }
}

const keyOf = ({ conversationId, seq, type }: Fed): string => `${conversationId} ${seq} ${type}`

function firstTimes(fed: readonly Fed[]): Fed[] {
  const seen = new Set<string>()
  return fed.filter((each) => {
    const key = keyOf(each)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
