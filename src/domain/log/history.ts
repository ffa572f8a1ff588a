import type { Conversation } from '../../ports/conversations.ts'
import type { GroupChange, LogRow, Message } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import { notFound } from '../../protocol/errors.ts'
import { type ConversationId, type MessageAddress, messageNodeId, type Seq } from '../../protocol/ids.ts'
import { rememberedOn } from '../../shared/remembered.ts'
import { type Access, floorOf, type Member } from '../conversations/access.ts'
import type { Groups } from '../conversations/groups.ts'
import type { MessageOrNotice, Notices } from '../conversations/notices.ts'
import { type AroundRequest, joinParts, newerPart, olderPart } from './around.ts'
import type { HighestSeqs } from './highest-seqs.ts'
import { isMessage, type Log, nextStep } from './log.ts'
import {
  type Bounds,
  boundsOf,
  isInside,
  isSame,
  type Page,
  type PageRequest,
  type PageRow,
  pageOf,
  take,
} from './page-bounds.ts'

type Needs = Pick<Ports, 'messages'> & {
  log: Log
  highestSeqs: HighestSeqs
  access: Access
  decideChange: Groups['decideChange']
  notices: Notices
}

/** Asks for a message on behalf of a member of its conversation. */
export type MessageRequest = { member: Member; seq: Seq }

/** A page, with the group changes that were met while it was read. */
type Made = { bounds: Bounds; page: Page; changes: readonly GroupChange[] }

export function createHistory({ messages, log, highestSeqs, access, decideChange, notices }: Needs) {
  /** Returns one message or notice, in one read. In a group, access is checked once more; see `mayShow`. */
  async function message(member: Member, seq: Seq): Promise<MessageOrNotice | undefined> {
    const [found] = await messagesOf([{ member, seq }])
    return found
  }

  /** Returns several messages or notices in the order asked for, in one batch. */
  async function messagesOf(asked: readonly MessageRequest[]): Promise<(MessageOrNotice | undefined)[]> {
    const visible = asked.filter(({ member, seq }) => seq > floorOf(member, true))
    const rows = new Map((await cells(visible.map(addressOf))).map((row) => [messageNodeId(row), row]))
    const found = await Promise.all(
      asked.map(async (each): Promise<MessageOrNotice | undefined> => {
        const row = visible.includes(each) ? rows.get(messageNodeId(addressOf(each))) : undefined
        if (row?.kind === 'group') return notices.of(row, each.member.conversation)
        return row && isMessage(row) ? row : undefined
      }),
    )
    const read = found.map((row) => ({ seq: row?.seq ?? 0, isNotice: row?.notice !== undefined }))
    const mayShow = await access.mayShow(asked.map(({ member }, i) => ({ member, seq: 0, ...read[i] })))
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
  const made = rememberedOn<readonly LogRow[], Made>('page')

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
    const isAbove = asked.seq > floorOf(member, asked.notices)
    const { page: older, changes } = isAbove ? await part(member, olderPart(asked, newer.isEmpty)) : nothing
    const found = { page: joinParts(asked.count, newer.page, older), changes: [...newer.changes, ...changes] }
    return check(member, found, (now) => around(now, asked))
  }

  async function part(member: Member, asked: PageRequest): Promise<Made & { isEmpty: boolean }> {
    const bounds = boundsOf(asked, member)
    const { conversation } = member
    const rows = await read(conversation.id, bounds, bounds.from === 'newest' ? bounds.olderThan : bounds.newerThan)
    const known = made.get(rows)
    const found = known && isSame(known.bounds, bounds) ? known : await make(conversation, rows, bounds)
    return { ...found, isEmpty: rows.length === 0 }
  }

  /** Returns what was read, if its reader may still see it; otherwise it reads `again`, as the member that the reader is now. */
  async function check(
    member: Member,
    { page: found, changes }: Pick<Made, 'page' | 'changes'>,
    again: (now: Member) => Promise<Page>,
  ): Promise<Page> {
    if (member.isService) return found
    const ends = changes.filter(({ seq, removed }) => seq > member.joinedSeq && removed.includes(member.userId))
    if (ends.length === 0 && (await mayShowFrom(member, found))) return found
    const now = await memberAfter(member, ends)
    return now.joinedSeq === member.joinedSeq ? found : again(now)
  }

  async function mayShowFrom(member: Member, { messages: shown }: Page): Promise<boolean> {
    const oldest = shown.at(-1)
    if (!oldest) return true
    const [mayShow = false] = await access.mayShow([{ member, seq: oldest.seq, isNotice: oldest.notice !== undefined }])
    return mayShow
  }

  async function make(conversation: Conversation, rows: readonly LogRow[], bounds: Bounds): Promise<Made> {
    const { id } = conversation
    const [found, changes]: [MessageOrNotice[], GroupChange[]] = [[], []]
    // A page that shows group changes may skip none of them.
    const skipped = bounds.notices ? 0 : bounds.version
    let limit = bounds.count + 1
    let edge = take(
      bounds.notices ? await withNotices(conversation, rows, bounds) : rows,
      limit,
      bounds,
      found,
      changes,
    )
    while (edge !== undefined) {
      limit = nextStep(limit)
      const more = await read(
        id,
        bounds,
        bounds.from === 'newest' ? log.skipDown(id, edge, skipped) : log.skipUp(id, edge, skipped),
        limit,
      )
      log.notePassed(id, more)
      edge = take(bounds.notices ? await withNotices(conversation, more, bounds) : more, limit, bounds, found, changes)
    }
    const page = pageOf(found, bounds)
    const [newest] = page.messages
    if (newest) highestSeqs.note(id, newest.seq)
    const all = { bounds, page, changes }
    made.set(rows, all)
    return all
  }

  /** Puts its notice beside each group change that took effect. */
  async function withNotices(conversation: Conversation, rows: readonly LogRow[], bounds: Bounds): Promise<PageRow[]> {
    const all: PageRow[] = []
    for (const row of rows) {
      const notice = row.kind === 'group' && isInside(row, bounds) && (await notices.of(row, conversation))
      all.push(notice ? { ...(row as GroupChange), notice } : row)
    }
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
