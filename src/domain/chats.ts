import type { ConversationId, MessageAddress, Seq, UserId } from '../protocol/ids.ts'
import { unreadMax } from '../protocol/limits.ts'
import type { Access, Member } from './access.ts'
import { isMessage, type Log } from './log.ts'
import type { LogRow, Message, Ports } from './ports.ts'

/** Up to this many numbers, cells are fetched in one batch with those of other chats; above, they are counted by a query. */
const spanMax = 20

/** The end of a conversation's log. `lastSeq`: of the last entry, which need not be a message. */
export type Tail = { lastSeq: Seq; lastMessage: Message | undefined }
export type Chat = { member: Member; tail: Tail }
export type UnreadRequest = { member: Member; readSeq: Seq; lastSeq: Seq }

export type Chats = ReturnType<typeof createChats>

export function createChats({
  access,
  log,
  messages,
  sequencer,
}: Pick<Ports, 'messages' | 'sequencer'> & { access: Access; log: Log }) {
  /** Every chat of the user, latest activity first. */
  async function list(userId: UserId): Promise<Chat[]> {
    const members = await access.all(userId)
    const all = await tails(members)
    return members
      .flatMap((member, i) => (all[i] ? [{ member, tail: all[i] }] : []))
      .filter(hasBegun)
      .sort(byActivity)
  }

  /**
   * In the order asked for. Redis's counters say where the last entries should be, one batch fetches them and looks
   * into the cells after; a query answers only for those where the two disagree, or where the last entry is no message.
   */
  async function tails(members: readonly Member[]): Promise<Tail[]> {
    if (members.length === 0) return []
    const ids = members.map((member) => member.conversation.id)
    const heads = await sequencer.heads(ids)
    const addresses = ids.flatMap((conversationId, i) => {
      const head = heads[i]
      return head ? [head, head + 1].map((seq) => ({ conversationId, seq })) : []
    })
    const found = new Map(
      (await messages.getMany(addresses)).map((row) => [`${row.conversationId} ${row.seq}`, row] as const),
    )
    const all = await Promise.all(
      ids.map((id, i) => {
        const head = heads[i] ?? 0
        return tail(id, found.has(`${id} ${head + 1}`) ? undefined : found.get(`${id} ${head}`))
      }),
    )
    return all.map((each, i) => visible(each, members[i]))
  }

  /** What was said before somebody came is not theirs to see. */
  const visible = (tail: Tail, member: Member | undefined): Tail =>
    (tail.lastMessage?.seq ?? 0) > (member?.joinedSeq ?? 0) ? tail : { ...tail, lastMessage: undefined }

  /** `last`: the row the log ends with, if that is known. */
  async function tail(id: ConversationId, last: LogRow | undefined): Promise<Tail> {
    const entry = last && last.kind !== 'void' ? last : await log.lastEntry(id)
    if (!entry) return { lastSeq: 0, lastMessage: undefined }
    return { lastSeq: entry.seq, lastMessage: isMessage(entry) ? entry : await log.lastMessage(id, entry.seq) }
  }

  /** In the order asked for: messages of others above what the user has read; `unreadMax` stands for more. */
  async function unreadCounts(requests: readonly UnreadRequest[]): Promise<number[]> {
    const isShort = ({ readSeq, lastSeq }: UnreadRequest) => lastSeq - readSeq <= spanMax
    const rows = await messages.getMany(requests.filter(isShort).flatMap(unreadCells))
    const cells = new Map<ConversationId, LogRow[]>()
    for (const row of rows) cells.set(row.conversationId, [...(cells.get(row.conversationId) ?? []), row])
    return Promise.all(
      requests.map((each) => {
        const { userId, conversation } = each.member
        if (!isShort(each)) return messages.countOfOthers(conversation.id, each.readSeq, userId, unreadMax)
        return cells.get(conversation.id)?.filter((row) => isMessage(row) && row.senderId !== userId).length ?? 0
      }),
    )
  }

  return { list, tails, unreadCounts }
}

const unreadCells = ({ member, readSeq, lastSeq }: UnreadRequest): MessageAddress[] =>
  Array.from({ length: Math.max(0, lastSeq - readSeq) }, (_, i) => ({
    conversationId: member.conversation.id,
    seq: readSeq + 1 + i,
  }))

/** A direct chat begins with its first message; a send that failed before it may have left an empty one. */
const hasBegun = ({ member, tail }: Chat): boolean =>
  tail.lastMessage !== undefined || member.conversation.kind === 'GROUP'

/** The place of a chat in the list; a chat without a message comes last. */
export const activityOf = ({ member, tail }: Chat): { atMs: number; id: ConversationId } => ({
  atMs: tail.lastMessage?.sentAtMs ?? 0,
  id: member.conversation.id,
})

function byActivity(one: Chat, other: Chat): number {
  const [a, b] = [activityOf(one), activityOf(other)]
  return b.atMs - a.atMs || (a.id < b.id ? -1 : 1)
}
