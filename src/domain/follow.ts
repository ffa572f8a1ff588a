import { ChatError } from '../protocol/errors.ts'
import { createGate } from '../protocol/gate.ts'
import type { ConversationId, Seq, UserId } from '../protocol/ids.ts'
import type { Member } from './access.ts'
import type { Acknowledge } from './acknowledge.ts'
import type { Attach, Attachment } from './attach.ts'
import { createGaps } from './gaps.ts'
import type { Heads } from './heads.ts'
import type { Log } from './log.ts'
import { persist } from './persist.ts'
import type { Message, Pending, Ports } from './ports.ts'
import { createPositions, type Shown } from './positions.ts'
import { type LogPage, readTogether } from './read-together.ts'
import { createStream } from './stream.ts'

// A user's messages: first what was missed, then live, in seq order within each conversation, each exactly once.
//
// An event is a doorbell. If its message is the next one, it is shown from the event; if it is known, dropped; if
// something before it is missing, the log is read from where this stream stands. So a lost, doubled or late event costs
// at most a read, never a message.

const pageRows = 100
/** When a node dies, all its readers come to the others at once: they begin a few at a time, so that each begins in time. */
const beginning = { atATime: 32, lineMax: 50_000 }

/** `only`: one conversation instead of all. `after`: what this device already holds. */
export type FollowRequest = { userId: UserId; only?: Member; after: readonly { member: Member; seq: Seq }[] }

type Needs = Pick<Ports, 'sequencer' | 'boundaries' | 'memberships' | 'pending' | 'clock'> & {
  log: Log
  heads: Heads
  attach: Attach
  acknowledge: Acknowledge
}

export function createFollow(needs: Needs) {
  const gate = createGate(beginning)

  return (request: FollowRequest): Promise<AsyncIterableIterator<Shown>> => gate(() => follow(request))

  async function follow(request: FollowRequest): Promise<AsyncIterableIterator<Shown>> {
    const attachment = await needs.attach(request.userId, request.only?.conversation.id)
    let following: Awaited<ReturnType<typeof begin>>
    try {
      following = await begin(needs, request, attachment)
    } catch (error) {
      await attachment.detach({ reached: [], whole: false })
      throw error
    }
    return createStream(attachment.inbox, following.run(), () => attachment.detach(following.outcome()))
  }
}

async function begin(needs: Needs, { userId, only, after }: FollowRequest, attachment: Attachment) {
  const { sequencer, boundaries, memberships, pending, clock, log, heads, acknowledge } = needs
  const { inbox, indexComplete } = attachment
  const held = new Map(after.map(({ member, seq }) => [member.conversation.id, seq]))
  const ticks = only
    ? await boundaries.getMany([{ userId, conversationId: only.conversation.id }])
    : await boundaries.ofUser(userId)
  const delivered = new Map(ticks.map((each) => [each.conversationId, each.lastDeliveredSeq]))
  const positions = createPositions((id) => held.get(id) ?? delivered.get(id) ?? 0)
  const gaps = createGaps(clock)
  const begun = new Set<ConversationId>()
  // Cut short during the catch-up, the index is still as good as it was: only acks take from it.
  let whole = indexComplete

  async function* run(): AsyncGenerator<Shown> {
    yield* read(await conversationsToCatchUp(), { catchUp: true, patient: true })
    whole = true
    await persist(clock, attachment.online)
    for (;;) {
      const signal = await inbox.take(gaps.nextDueAtMs())
      if (signal.type === 'closed') return
      if (signal.type === 'message') yield* hear(signal.message)
      if (signal.type === 'due') yield* read(gaps.takeDue(), { catchUp: false, patient: false })
      if (signal.type === 'recheck') for (const id of await lagging()) gaps.suspect(id)
      if (signal.type === 'resync') {
        whole = false
        gaps.clear()
        yield* read(await persist(clock, everyConversation), { catchUp: false, patient: true })
        whole = true
      }
    }
  }

  function* hear(message: Message): Generator<Shown> {
    const { conversationId, seq } = message
    if (only && conversationId !== only.conversation.id) return
    if (seq <= positions.at(conversationId)) return
    for (let next: Message | undefined = message; next; next = gaps.take(conversationId, next.seq + 1)) {
      const shown = pass(next, false)
      if (!shown) return gaps.hold(next)
      yield shown
    }
  }

  /** Everything above this stream's positions in these conversations. */
  async function* read(
    ids: readonly ConversationId[],
    { catchUp, patient }: { catchUp: boolean; patient: boolean },
  ): AsyncGenerator<Shown> {
    for await (const row of readTogether(ids, (id) => persist(clock, () => readPage(id, patient)))) {
      const shown = pass(row, catchUp)
      if (shown) yield shown
    }
  }

  function pass(row: LogPage['rows'][number], catchUp: boolean): Shown | undefined {
    const shown = positions.pass(row, catchUp)
    if (shown) heads.saw(row.conversationId, row.seq)
    return shown
  }

  async function readPage(id: ConversationId, patient: boolean): Promise<LogPage> {
    const at = positions.at(id)
    if (at > 0 && !begun.has(id)) return readFirstPage(id, at, patient)
    const rows = await log.above(id, at, pageRows, { patient })
    begun.add(id)
    return { rows, end: rows.length < pageRows }
  }

  /** The first page includes the row this stream begins after, to see that it is there, and a message. */
  async function readFirstPage(id: ConversationId, at: Seq, patient: boolean): Promise<LogPage> {
    const rows = await log.above(id, at - 1, pageRows, { patient })
    const [startRow] = rows
    if (held.has(id)) {
      if (!startRow)
        throw new ChatError('SEQ_OUT_OF_RANGE', 'after names a seq beyond the last one.', { field: 'after' })
    } else if (startRow?.kind === 'void') {
      positions.correctStart(id, (await log.lastMessage(id, at))?.seq ?? 0)
    }
    begun.add(id)
    return { rows: rows.slice(1), end: rows.length < pageRows }
  }

  async function conversationsToCatchUp(): Promise<ConversationId[]> {
    if (only) return [only.conversation.id]
    if (!indexComplete) return everyConversation()
    const waiting = await pending.list(userId)
    await Promise.all(waiting.map(tidy))
    return [...new Set([...waiting.map((each) => each.conversationId), ...held.keys()])]
  }

  /** A row that an ack has overtaken, left by a crash between the two. */
  async function tidy({ conversationId, firstUndeliveredSeq }: Pending): Promise<void> {
    const done = delivered.get(conversationId) ?? 0
    if (firstUndeliveredSeq <= done) await acknowledge.settlePending({ userId, conversationId }, done)
  }

  async function everyConversation(): Promise<ConversationId[]> {
    if (only) return [only.conversation.id]
    return (await memberships.ofUser(userId)).map((each) => each.conversationId)
  }

  /** Conversations whose counter is not where this stream is. The counter may be ahead of the log; then a read finds nothing. */
  async function lagging(): Promise<ConversationId[]> {
    try {
      const ids = await everyConversation()
      const counters = await sequencer.heads(ids)
      return ids.filter((id, i) => counters[i] === undefined || counters[i] > positions.at(id))
    } catch (error) {
      // Without Redis or DynamoDB nobody can send either; the next beat looks again.
      if (error instanceof ChatError && error.code === 'UNAVAILABLE') return []
      throw error
    }
  }

  const outcome = () => ({ reached: positions.all(), whole })

  return { run, outcome }
}
