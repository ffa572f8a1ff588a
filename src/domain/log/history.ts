import type { GroupChange, LogRow, Message } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import { notFound } from '../../protocol/errors.ts'
import type { ConversationId, MessageAddress, Seq } from '../../protocol/ids.ts'
import { seqMax } from '../../protocol/limits.ts'
import type { Access, Member } from '../conversations/access.ts'
import type { Groups } from '../conversations/groups.ts'
import type { Heads } from './heads.ts'
import { isMessage, type Log, nextStep } from './log.ts'

/** A stretch of history. Bounds are exclusive; `from` says at which end of them to begin. */
export type PageRequest = { count: number; from: 'newest' | 'oldest'; olderThan?: Seq; newerThan?: Seq }

/** Newest first. */
export type Page = { messages: readonly Message[]; moreNewer: boolean; moreOlder: boolean }

type Needs = Pick<Ports, 'messages'> & { log: Log; heads: Heads; access: Access; settle: Groups['settle'] }

/** A page, and the changes of the group that were met while it was read. */
type Made = { bounds: Bounds; page: Page; changes: readonly GroupChange[] }

export function createHistory({ messages, log, heads, access, settle }: Needs) {
  /** One message, in one read; of a group that is looked at once more, see `mayShow`. */
  async function message(member: Member, seq: Seq): Promise<Message | undefined> {
    if (seq <= member.joinedSeq) return undefined
    const row = await messages.get({ conversationId: member.conversation.id, seq })
    if (!row || !isMessage(row)) return undefined
    const [mayShow] = await access.mayShow([{ member, seq }])
    return mayShow ? row : undefined
  }

  /** In the order asked for, in one batch. The caller has checked the conversations. */
  async function messagesAt(addresses: readonly MessageAddress[]): Promise<(Message | undefined)[]> {
    const rows = await messages.getMany(addresses)
    return addresses.map(({ conversationId, seq }) =>
      rows.filter(isMessage).find((row) => row.conversationId === conversationId && row.seq === seq),
    )
  }

  /** Of rows that were read once for several who asked: they get the same page. */
  const made = new WeakMap<readonly LogRow[], Made>()

  /**
   * One query, and others only where voids or changes took the place of messages, each for more than the one before. Whether the member may see it was asked before. Should they have
   * been taken out of the group meanwhile, that is among what was read, or it is below: so a page that does not reach down to what was
   * known of the group then is asked about once more.
   */
  async function page(member: Member, asked: PageRequest): Promise<Page> {
    const bounds = boundsOf(asked, member)
    const { id } = member.conversation
    const rows = await read(id, bounds, bounds.from === 'newest' ? bounds.olderThan : bounds.newerThan)
    const known = made.get(rows)
    const { page: found, changes } = known && isSame(known.bounds, bounds) ? known : await make(id, rows, bounds)
    const ends = changes.filter(({ seq, removed }) => seq > member.joinedSeq && removed.includes(member.userId))
    if (ends.length === 0 && (await mayShowFrom(member, found))) return found
    const now = await memberAfter(member, ends)
    return now.joinedSeq === member.joinedSeq ? found : page(now, asked)
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
    if (newest) heads.saw(id, newest.seq)
    const all = { bounds, page, changes }
    made.set(rows, all)
    return all
  }

  /** What these changes, once they are decided, have left of it. */
  async function memberAfter(
    { userId, conversation: { id } }: Member,
    changes: readonly GroupChange[],
  ): Promise<Member> {
    for (const change of changes) await settle(change)
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

  return { message, messages: messagesAt, page }
}

/**
 * What was asked for, as far as the member may see. `hasNewer`, `hasOlder`: there is something beyond the bound on that side. `version`: of
 * the group as it was when the member was asked for; of a direct chat, nothing changes its members.
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

/** Takes over the messages and the changes of the group among these rows, of which `limit` were asked for. Returns where to read on, if there are too few and may be more. */
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

/** Of what was found, one too many where there is more. */
function pageOf(found: Message[], { count, from, hasNewer, hasOlder }: Bounds): Page {
  const more = found.length > count
  const shown = found.slice(0, count)
  return from === 'newest'
    ? { messages: shown, moreNewer: hasNewer, moreOlder: more || hasOlder }
    : { messages: shown.reverse(), moreNewer: more || hasNewer, moreOlder: hasOlder }
}
