import { setTimeout as sleep } from 'node:timers/promises'
import { isOutlived } from './checks/check-pending.ts'
import {
  answerOf,
  changeCalls,
  type FinalTable,
  type History,
  isGroup,
  type MessageSeen,
  type Outcome,
  type PendingSeen,
  sends,
  type Walk,
} from './checks/history.ts'
import type { NodeProcess } from './faults/processes.ts'
import { askFinalTicks } from './final-ticks.ts'
import type { ChaosClient, PageResult } from './people/client.ts'
import type { Crowd } from './people/crowd.ts'
import type { Wanted } from './people/device.ts'

// After the last fault all devices must come to rest by themselves. Then all nodes are restarted, and all devices must come to rest once
// more. Then the whole of every conversation is read, from every node, in both directions.

export type DrainFigures = {
  /** It took this long until every send was acknowledged. */
  acknowledgedMs: number
  /** From then on it took this long until every device had everything, without being told to reconnect. */
  settledMs: number
  /** From the restart of all nodes it took this long until every device, and a new one of each user, had everything. */
  restartedMs: number
}

type DrainOptions = {
  crowd: Crowd
  nodes: readonly NodeProcess[]
  history: History
  nowMs: () => number
  /** Returns what DynamoDB holds, past all faults. */
  readTables: () => Promise<FinalTable[]>
  readPending: () => Promise<PendingSeen[]>
}

const acknowledgeWithinMs = 30_000
/** The periodic resync comes within this time and finds even a lost last message; some time for the machine is included. */
const settleWithinMs = 40_000
const lookAgainMs = 8000
/** Within this time a node has noted what the streams that ended had not acked. */
const detachedWithinMs = 1500
/** An ack is answered before it has tidied up. */
const tidyWithinMs = 5000
const nothing: Wanted = { messages: new Map(), changes: new Map() }

export async function drain({
  crowd,
  nodes,
  history,
  nowMs,
  readTables,
  readPending,
}: DrainOptions): Promise<DrainFigures> {
  const incident = (text: string) => void history.incidents.push({ atMs: nowMs(), text })
  const startedAtMs = nowMs()
  const acknowledged = await within(acknowledgeWithinMs, crowd.finishWriting())
  if (!acknowledged) incident(`sends were still unacknowledged ${acknowledgeWithinMs} ms after the last fault`)
  const acknowledgedAtMs = nowMs()
  if (!(await settled())) incident(`not every device was current ${settleWithinMs} ms after the last acknowledgement`)
  const settledAtMs = nowMs()

  crowd.addRuntimeNewcomers()
  if (!(await settled())) incident(`not every new runtime device was current ${settleWithinMs} ms after it came`)
  const restartedAtMs = nowMs()
  await Promise.all(nodes.map(restart))
  const groups = (await readTables()).filter(({ group }) => group && group.members.length > 0)
  const conversationIds = [...crowd.conversationIds, ...groups.map(({ conversationId }) => conversationId)]
  const membersOf = (id: string): string[] =>
    history.members[id] ??
    groups.find(({ conversationId }) => conversationId === id)?.group?.members.map(({ userId }) => userId) ??
    []
  await Promise.all(conversationIds.map((id) => lastWord(id)))
  if (!(await settled())) incident(`not every device was current ${settleWithinMs} ms after the restart`)
  // Newcomers come only now: what a newcomer acks does not come any more to a device that lets the server decide where to begin.
  crowd.addNewcomers()
  if (!(await settled())) incident(`not every new device was current ${settleWithinMs} ms after it came`)
  const restartedMs = nowMs() - restartedAtMs
  await readEverything()
  await crowd.finishReading()
  await askFinalTicks({
    history,
    tables: await readTables(),
    async ask() {
      for (const id of conversationIds) {
        const [userId = ''] = membersOf(id)
        await patiently(async () => answerOf(await crowd.clientOf(userId).ticks(id)))
      }
    },
    nowMs,
    giveUpAtMs: nowMs() + settleWithinMs,
  })
  await crowd.leave()
  history.pending = await pendingAfterAll()
  return {
    acknowledgedMs: acknowledgedAtMs - startedAtMs,
    settledMs: settledAtMs - acknowledgedAtMs,
    restartedMs,
  }

  /** All devices are gone, and what they had not acked is noted. Then everything is acked by plain requests. */
  async function pendingAfterAll(): Promise<PendingSeen[]> {
    await sleep(detachedWithinMs)
    const tables = await readTables()
    const chats = tables.filter(({ conversationId, rows }) => !isGroup(conversationId) && rows.length > 0)
    await Promise.all(
      chats.map(async ({ conversationId, rows }) => {
        const seq = Math.max(...rows.map((row) => row.seq))
        for (const userId of membersOf(conversationId))
          await patiently(async () => answerOf(await crowd.clientOf(userId).bound('ack', { conversationId, seq })))
      }),
    )
    const giveUpAtMs = nowMs() + tidyWithinMs
    let pending = await readPending()
    while (pending.some(isOutlived) && nowMs() < giveUpAtMs) {
      await sleep(200)
      pending = await readPending()
    }
    return pending
  }

  async function restart(node: NodeProcess): Promise<void> {
    const fromMs = nowMs()
    const exit = await node.terminate()
    await node.start()
    history.faults.push({ kind: 'final restart', target: node.name, fromMs, toMs: nowMs(), exit })
  }

  async function lastWord(conversationId: string): Promise<void> {
    const [sender = ''] = membersOf(conversationId)
    const client = crowd.clientOf(sender)
    const clientMessageId = `last-${conversationIds.indexOf(conversationId) + 1}`
    const body = `${clientMessageId} good night`
    const to = isGroup(conversationId) ? ('chat' as const) : ('person' as const)
    const ask = { conversationId, clientMessageId, body, via: 'rest' as const, to }
    await patiently(async () => answerOf(await client.send(ask)))
    crowd.established.add(conversationId)
  }

  /** Returns whether every device gets in time what was acknowledged and its user may see. */
  async function settled(): Promise<boolean> {
    const giveUpAtMs = nowMs() + settleWithinMs
    for (;;) {
      // A change of a group that was left in the middle may take effect only now, when a reader meets it.
      await crowd.lookAtGroups()
      const tables = await readTables()
      const wanted = new Map(crowd.devices.map(({ userId }) => [userId, wantedBy(userId, tables)]))
      const lacking = () =>
        crowd.devices.some((device) => device.lacks(wanted.get(device.userId) ?? nothing) !== undefined)
      const lookAgainAtMs = nowMs() + lookAgainMs
      while (lacking() && nowMs() < lookAgainAtMs) await sleep(50)
      if (!lacking()) return true
      if (nowMs() < giveUpAtMs) continue
      for (const device of crowd.devices) {
        const lack = device.lacks(wanted.get(device.userId) ?? nothing)
        if (lack) incident(`${device.name} lacks ${lack}`)
      }
      return false
    }
  }

  function wantedBy(userId: string, tables: readonly FinalTable[]): Wanted {
    const acknowledged = new Set<string>()
    for (const call of sends(history))
      if (answerOf(call)) acknowledged.add(`${call.userId} ${call.ask.clientMessageId}`)
    for (const call of changeCalls(history))
      if (answerOf(call)) acknowledged.add(`${call.userId} ${call.ask.clientMessageId}`)
    const messages = new Map<string, number[]>()
    const changes = new Map<string, number[]>()
    for (const { conversationId, rows, group } of tables) {
      const isIn = history.members[conversationId]?.includes(userId)
      const joinedSeq = isIn ? 0 : group?.members.find((each) => each.userId === userId)?.joinedSeq
      if (joinedSeq === undefined) continue
      const told = rows.filter((row) => 'senderId' in row && acknowledged.has(`${row.senderId} ${row.clientMessageId}`))
      const seqs = (some: FinalTable['rows']) => some.map(({ seq }) => seq)
      messages.set(conversationId, seqs(told.filter(({ kind, seq }) => kind === 'message' && seq > joinedSeq)))
      changes.set(conversationId, seqs(told.filter((row) => row.kind === 'change' && row.targetSeq > joinedSeq)))
    }
    return { messages, changes }
  }

  async function readEverything(): Promise<void> {
    for (const conversationId of conversationIds) {
      for (const userId of membersOf(conversationId)) {
        const client = crowd.clientOf(userId)
        await Promise.all(
          nodes.map(async ({ url }) => {
            await patiently(async () => answerOf(await client.ticks(conversationId, url)))
            for (const from of ['newest', 'oldest'] as const)
              history.walks.push(await walk(client, conversationId, url, from))
          }),
        )
      }
    }
  }

  async function walk(
    client: ChaosClient,
    conversationId: string,
    node: string,
    from: 'newest' | 'oldest',
  ): Promise<Walk> {
    const messages: MessageSeen[] = []
    let cursor: string | undefined
    for (;;) {
      const page = await patiently<PageResult>(async () =>
        answered(await client.page({ conversationId, count: 100, from, ...(cursor && { cursor }) }, node)),
      )
      messages.push(...(from === 'newest' ? page.messages : page.messages.toReversed()))
      if (!page.more || !page.cursor) break
      cursor = page.cursor
    }
    const direction = from === 'newest' ? 'newest first' : 'oldest first'
    if (from === 'newest') messages.reverse()
    return { node, userId: client.userId, conversationId, direction, messages }
  }
}

const answered = <T>(outcome: Outcome<T>): T | undefined => ('answer' in outcome ? outcome.answer : undefined)

/** There are no faults any more, but the machine may be slow. */
async function patiently<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 40; tries += 1) {
    const result = await attempt()
    if (result !== undefined) return result
    await sleep(250)
  }
  throw new Error('Nothing is answered any more, although there are no faults any more.')
}

async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false)
  const inTime = await Promise.race([work.then(() => true), late])
  timer.abort()
  return inTime
}
