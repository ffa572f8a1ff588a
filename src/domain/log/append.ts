import type { Conversation } from '../../ports/conversations.ts'
import type { FeedPosition } from '../../ports/feed.ts'
import type { Claim, Entry, LogEntry, LogRow } from '../../ports/log.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Reservation, SendKey } from '../../ports/soft-state.ts'
import { ChatError, unavailable } from '../../protocol/errors.ts'
import type { ClientMessageId, ConversationId, MessageId, Seq } from '../../protocol/ids.ts'
import type { Member } from '../conversations/access.ts'
import type { AnnounceEntry } from '../feed/announce.ts'
import { type Blocking, refused } from '../people/blocking.ts'
import type { Recount } from './counters.ts'
import type { HighestSeqs } from './highest-seqs.ts'
import type { Log } from './log.ts'
import type { Payload } from './payloads.ts'

// Puts an entry into a conversation's log, once: reserves a seq, claims it for this call, writes the cell.
//
// Redis's seq is a proposal. The claim (one per sender and client id, for ever) decides at which seq this call writes; the cell (written once)
// decides which entry is there. A claim moves only when its cell holds something else, and a cell once taken stays taken, so a slower
// attempt of the same call can never write at the old seq: there is at most one entry per client id (P2).
//
// What a crash leaves, and who repairs it:
//   after reserve    a hole; the next reader voids it
//   after the claim  a claim without an entry; the retry adopts it
//   after the write  an entry; the retry finds it
//
// Where there is a feed, the entry is announced there beside the claim, and always before its cell is written (domain/feed/announce.ts).

/**
 * `payload` is the content, by which a retry is told from a different call. `row` makes the entry once its seq is known. With `always`, a sender
 * whom the other has blocked may write, too. `above` is a seq known to be in the log, if the entry makes sense only after it.
 */
type Draft<Row extends LogEntry> = {
  clientMessageId: ClientMessageId
  payload: Payload
  above?: Seq
  row: (entry: Entry) => Row
  always?: boolean
}

type Appended<Row extends LogEntry> = { row: Row; duplicate: boolean }

/** Each further attempt means that another entry or a void took the cell; more than a few happen only under many faults at once. */
const attemptsMax = 20

type Needs = Pick<Ports, 'sequencer' | 'claims' | 'messages' | 'clock'> & {
  log: Log
  highestSeqs: HighestSeqs
  recount: Recount
  blocking: Blocking
  nextMessageId: () => MessageId
  announceEntry: AnnounceEntry
  hasFeed: boolean
  observer: Observer
}

/** `feedPosition`: where this call has announced an entry at the claim's seq. */
type Claimed = { claim: Claim; feedPosition?: FeedPosition | undefined }

export type Append = ReturnType<typeof createAppend>

export function createAppend(needs: Needs) {
  const {
    sequencer,
    claims,
    messages,
    clock,
    log,
    highestSeqs,
    recount,
    blocking,
    nextMessageId,
    announceEntry,
    hasFeed,
    observer,
  } = needs

  async function append<Row extends LogEntry>(member: Member, draft: Draft<Row>): Promise<Appended<Row>> {
    const key = { senderId: member.userId, clientMessageId: draft.clientMessageId }
    // The floor is taken before the seq is reserved: what others write in between may be above that seq.
    const floor = Math.max(draft.above ?? versionOf(member.conversation), highestSeqs.known(member.conversation.id))
    const reserved = await (draft.always
      ? sequencer.reserve(member.conversation.id, key)
      : blocking.reserve(member, key))
    if (reserved === 'blocked') return acceptedBefore(member, draft)
    const appended = await write(await claimSeq(member, draft, reserved, floor), draft)
    highestSeqs.note(appended.row.conversationId, appended.row.seq)
    if (appended.duplicate) observer.duplicate(appended.row.kind)
    return appended
  }

  /** A blocked sender still gets the answer for what was accepted before the block. */
  async function acceptedBefore<Row extends LogEntry>(
    { userId, conversation }: Member,
    { clientMessageId, payload }: Draft<Row>,
  ): Promise<Appended<Row>> {
    const claim = await claims.get(userId, clientMessageId)
    if (claim?.conversationId !== conversation.id || !(await payload.isOf(claim))) throw refused()
    const cell = await messages.get(claim)
    if (!cell || !isOf(claim, cell)) throw refused()
    observer.duplicate(cell.kind)
    return { row: cell as Row, duplicate: true }
  }

  async function claimSeq(
    member: Member,
    { clientMessageId, payload }: Draft<LogEntry>,
    given: Reservation | undefined,
    floor: Seq,
  ): Promise<Claimed> {
    const conversationId = member.conversation.id
    const senderId = member.userId
    const reserved = given ?? (await seedAndReserve(conversationId, { senderId, clientMessageId }))
    const earlier = reserved.known ? await claims.get(senderId, clientMessageId) : undefined
    // A seq at or below the floor means that Redis has fallen back behind what this node knows of the log. If that cell is a hole, readers may
    // be past it, and an earlier message of the same sender may be above it.
    const seq = reserved.seq > floor || earlier ? reserved.seq : await sequencer.reserveAbove(conversationId, floor)
    const claim = { senderId, clientMessageId, conversationId, seq, payloadHash: payload.hash }
    const [standing, feedPosition] = earlier
      ? [earlier]
      : await Promise.all([claims.claim(claim), announceEntry(claim)])

    // If the claim is another attempt's, the seq reserved here is left over.
    const sameContent = standing.conversationId === conversationId && (await payload.isOf(standing))
    const isLeft = !reserved.known || seq !== reserved.seq
    if (isLeft && !(sameContent && standing.seq === seq)) await abandon(conversationId, seq)
    if (!sameContent) throw conflict()
    return { claim: standing, ...(standing.seq === seq && { feedPosition }) }
  }

  /** This is called where Redis has no counter. */
  async function seedAndReserve(conversationId: ConversationId, key: SendKey) {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      await recount([conversationId])
      const reserved = await sequencer.reserve(conversationId, key)
      if (reserved) return reserved
    }
    throw unavailable()
  }

  async function write<Row extends LogEntry>(
    { claim, feedPosition: announcedAt }: Claimed,
    draft: Draft<Row>,
  ): Promise<Appended<Row>> {
    const written = hasFeed && announcedAt === undefined ? await messages.get(claim) : undefined
    // A retry of what is stored is not announced again.
    if (written && isOf(claim, written)) return { row: written as Row, duplicate: true }
    const messageId = nextMessageId()
    const sentAtMs = clock.now()
    let { seq } = claim
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const { conversationId, senderId, clientMessageId } = claim
      const feedPosition =
        attempt === 0 && announcedAt !== undefined ? announcedAt : await announceEntry({ conversationId, seq })
      const entry = { conversationId, seq, messageId, clientMessageId, senderId, sentAtMs }
      const row = draft.row(feedPosition === undefined ? entry : { ...entry, feedPosition })
      if ((await messages.put(row)) === 'written') return { row, duplicate: false }
      const cell = await messages.get(row)
      // If it has our own message id, this attempt wrote it, and the answer got lost.
      if (cell && isOf(claim, cell)) return { row: cell as Row, duplicate: cell.messageId !== messageId }
      seq = await moveOn({ ...claim, seq })
    }
    throw unavailable()
  }

  /** This is called when the claim's cell holds another entry or a void. Returns where the claim is now, moved by us or by another attempt. */
  async function moveOn(claim: Claim): Promise<Seq> {
    const { conversationId } = claim
    const taken = Math.max(claim.seq, await log.lastSeq(conversationId))
    const next = await sequencer.reserveAbove(conversationId, taken)
    if (await claims.move(claim, next)) return next
    const standing = await claims.get(claim.senderId, claim.clientMessageId)
    if (!standing) throw unavailable()
    // A move that looked failed may have been carried out: then the claim is at `next` after all.
    if (standing.seq !== next) await abandon(conversationId, next)
    return standing.seq
  }

  /** Gives a seq back or, if later ones were given out already, skips it for good. */
  async function abandon(conversationId: ConversationId, seq: Seq): Promise<void> {
    if (await sequencer.giveBack(conversationId, seq)) return
    if ((await messages.put({ kind: 'void', conversationId, seq })) === 'written') observer.voided('sender')
  }

  return append
}

export const conflict = (field = 'clientMessageId') =>
  new ChatError('IDEMPOTENCY_CONFLICT', `This ${field} was used before, for something else.`, { field })

const versionOf = (conversation: Conversation): Seq => (conversation.kind === 'GROUP' ? conversation.version : 0)

/** The claim's hash says what is in the cell, so its kind is the one asked for. */
const isOf = (claim: Claim, cell: LogRow): cell is LogEntry =>
  cell.kind !== 'void' && cell.senderId === claim.senderId && cell.clientMessageId === claim.clientMessageId
