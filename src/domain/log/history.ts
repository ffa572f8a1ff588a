import type { GroupChange, LogRow, Message } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import { notFound } from '../../protocol/errors.ts'
import { type ConversationId, type MessageAddress, messageNodeId, type Seq } from '../../protocol/ids.ts'
import { seqMax } from '../../protocol/limits.ts'
import type { Access, Member } from '../conversations/access.ts'
import type { Groups } from '../conversations/groups.ts'
import { type AroundRequest, joinParts, newerPart, olderPart } from './around.ts'
import type { HighestSeqs } from './highest-seqs.ts'
import { isMessage, type Log, nextStep } from './log.ts'

/** A range of history. Its bounds are exclusive; `from` says at which end of them to begin. */
export type PageRequest = { count: number; from: 'newest' | 'oldest'; olderThan?: Seq; newerThan?: Seq }

/** The messages are sorted newest first. */
export type Page = { messages: readonly Message[]; moreNewer: boolean; moreOlder: boolean }

type Needs = Pick<Ports, 'messages'> & {
  log: Log
  highestSeqs: HighestSeqs
  access: Access
  decideChange: Groups['decideChange']
}

/** Asks for a message on behalf of a member of its conversation. */
export type MessageRequest = { member: Member; seq: Seq }

/** A page, with the group changes that were met while it was read. */
type Made = { bounds: Bounds; page: Page; changes: readonly GroupChange[] }

export function createHistory({ messages, log, highestSeqs, access, decideChange }: Needs) {
  /** Returns one message, in one read. In a group, access is checked once more; see `mayShow`. */
  async function message(member: Member, seq: Seq): Promise<Message | undefined> {
    const [found] = await messagesOf([{ member, seq }])
    return found
  }

  /** Returns several messages in the order asked for, in one batch. */
  async function messagesOf(asked: readonly MessageRequest[]): Promise<(Message | undefined)[]> {
    const visible = asked.filter(({ member, seq }) => seq > member.joinedSeq)
    const rows = new Map((await cells(visible.map(addressOf))).map((row) => [messageNodeId(row), row]))
    const found = asked.map((each) => {
      const row = visible.includes(each) ? rows.get(messageNodeId(addressOf(each))) : undefined
      return row && isMessage(row) ? row : undefined
    })
    const mayShow = await access.mayShow(asked.map(({ member }, i) => ({ member, seq: found[i]?.seq ?? 0 })))
    return found.map((row, i) => (mayShow[i] ? row : undefined))
  }

  async function cells(addresses: readonly MessageAddress[]): Promise<LogRow[]> {
    const [first] = addresses
    if (!first || addresses.length > 1) return first ? messages.getMany(addresses) : []
    const row = await messages.get(first)
    return row ? [row] : []
  }

  /** Returns the messages in the order asked for, in one batch. The caller has checked the conversations. */
  async function messagesAt(addresses: readonly MessageAddress[]): Promise<(Message | undefined)[]> {
    const rows = await messages.getMany(addresses)
    return addresses.map(({ conversationId, seq }) =>
      rows.filter(isMessage).find((row) => row.conversationId === conversationId && row.seq === seq),
    )
  }

  /** These pages are made of rows that several requests share: those requests get the same page. */
  const made = new WeakMap<readonly LogRow[], Made>()

  /**
   * Reads with one query. Further queries, each for more rows than the one before, follow only where voids or changes took the place of
   * messages. Whether the member may see the page was asked before. If the member was removed meanwhile, that change is among the rows read,
   * or below them: so access is checked once more for a page that does not reach down to the known version of the group.
   */
  async function page(member: Member, asked: PageRequest): Promise<Page> {
    const found = await part(member, asked)
    return check(member, found, (now) => page(now, asked))
  }

  /** Makes two queries, one up and one down from the place, and others where voids or changes took the place of messages. */
  async function around(member: Member, asked: AroundRequest): Promise<Page> {
    const newer = await part(member, newerPart(asked))
    const isAbove = asked.seq > member.joinedSeq
    const { page: older, changes } = isAbove ? await part(member, olderPart(asked, newer.isEmpty)) : nothing
    const found = { page: joinParts(asked.count, newer.page, older), changes: [...newer.changes, ...changes] }
    return check(member, found, (now) => around(now, asked))
  }

  async function part(member: Member, asked: PageRequest): Promise<Made & { isEmpty: boolean }> {
    const bounds = boundsOf(asked, member)
    const { id } = member.conversation
    const rows = await read(id, bounds, bounds.from === 'newest' ? bounds.olderThan : bounds.newerThan)
    const known = made.get(rows)
    const found = known && isSame(known.bounds, bounds) ? known : await make(id, rows, bounds)
    return { ...found, isEmpty: rows.length === 0 }
  }

  /** Returns what was read, if its reader may still see it; otherwise it reads `again`, as the member that the reader is now. */
  async function check(
    member: Member,
    { page: found, changes }: Pick<Made, 'page' | 'changes'>,
    again: (now: Member) => Promise<Page>,
  ): Promise<Page> {
    const ends = changes.filter(({ seq, removed }) => seq > member.joinedSeq && removed.includes(member.userId))
    if (ends.length === 0 && (await mayShowFrom(member, found))) return found
    const now = await memberAfter(member, ends)
    return now.joinedSeq === member.joinedSeq ? found : again(now)
  }

  async function mayShowFrom(member: Member, { messages: shown }: Page): Promise<boolean> {
    const oldest = shown.at(-1)
    if (!oldest) return true
    const [mayShow = false] = await access.mayShow([{ member, seq: oldest.seq }])
    return mayShow
  }

  async function make(id: ConversationId, rows: readonly LogRow[], bounds: Bounds): Promise<Made> {
    const [found, changes]: [Message[], GroupChange[]] = [[], []]
    let limit = bounds.count + 1
    let edge = take(rows, limit, bounds, found, changes)
    while (edge !== undefined) {
      limit = nextStep(limit)
      const more = await read(
        id,
        bounds,
        bounds.from === 'newest' ? log.skipDown(id, edge, bounds.version) : log.skipUp(id, edge, bounds.version),
        limit,
      )
      log.notePassed(id, more)
      edge = take(more, limit, bounds, found, changes)
    }
    const page = pageOf(found, bounds)
    const [newest] = page.messages
    if (newest) highestSeqs.note(id, newest.seq)
    const all = { bounds, page, changes }
    made.set(rows, all)
    return all
  }

  /** Returns the member as it is after these changes were decided. */
  async function memberAfter(
    { userId, conversation: { id } }: Member,
    changes: readonly GroupChange[],
  ): Promise<Member> {
    for (const change of changes) await decideChange(change)
    const [now] = await access.find(userId, [id])
    if (!now) throw notFound()
    return now
  }

  const read = (
    id: ConversationId,
    { count, from }: Bounds,
    edge: Seq,
    limit = count + 1,
  ): Promise<readonly LogRow[]> => (from === 'newest' ? log.below(id, edge, limit) : log.above(id, edge, limit))

  return { message, messagesOf, messages: messagesAt, page, around }
}

const addressOf = ({ member, seq }: MessageRequest): MessageAddress => ({
  conversationId: member.conversation.id,
  seq,
})

const nothing: Pick<Made, 'page' | 'changes'> = {
  page: { messages: [], moreNewer: false, moreOlder: false },
  changes: [],
}

/**
 * What was asked for, limited to what the member may see. `hasNewer`, `hasOlder`: there is something beyond the bound on that side. `version` is
 * that of the group when the member was looked up. A direct chat needs none, as its members never change.
 */
type Bounds = Required<PageRequest> & { hasNewer: boolean; hasOlder: boolean; version: Seq }

function boundsOf({ count, from, olderThan, newerThan }: PageRequest, { joinedSeq, conversation }: Member): Bounds {
  const hasOlder = newerThan !== undefined && newerThan > joinedSeq
  return {
    count,
    from,
    olderThan: olderThan ?? seqMax + 1,
    newerThan: hasOlder ? newerThan : joinedSeq,
    hasNewer: olderThan !== undefined,
    hasOlder,
    version: conversation.kind === 'GROUP' ? conversation.version : seqMax,
  }
}

const isSame = (one: Bounds, other: Bounds): boolean =>
  one.count === other.count &&
  one.from === other.from &&
  one.olderThan === other.olderThan &&
  one.newerThan === other.newerThan &&
  one.hasNewer === other.hasNewer &&
  one.hasOlder === other.hasOlder &&
  one.version === other.version

/**
 * Takes the messages and the group changes from these rows, of which `limit` were asked for. Returns where to read on if there are too few
 * and there may be more.
 */
function take(
  rows: readonly LogRow[],
  limit: number,
  { count, olderThan, newerThan }: Bounds,
  found: Message[],
  changes: GroupChange[],
): Seq | undefined {
  let inside = 0
  for (const row of rows) {
    if (row.seq <= newerThan || row.seq >= olderThan) continue
    inside += 1
    if (isMessage(row)) found.push(row)
    else if (row.kind === 'group') changes.push(row)
  }
  const isEnd = rows.length < limit || inside < rows.length
  return isEnd || found.length > count ? undefined : rows.at(-1)?.seq
}

/** Makes the page of what was found. One message more than asked for means that there are more. */
function pageOf(found: Message[], { count, from, hasNewer, hasOlder }: Bounds): Page {
  const more = found.length > count
  const shown = found.slice(0, count)
  return from === 'newest'
    ? { messages: shown, moreNewer: hasNewer, moreOlder: more || hasOlder }
    : { messages: shown.reverse(), moreNewer: more || hasNewer, moreOlder: hasOlder }
}
