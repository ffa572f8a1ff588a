import type { ConversationId, MessageAddress, Seq, UserId } from '../protocol/ids.ts'
import { unreadMax } from '../protocol/limits.ts'
import type { Access, Member } from './access.ts'
import { isMessage, type Log } from './log.ts'
import type { LogRow, Message, Ports } from './ports.ts'

/** Up to this many numbers, cells are fetched in one batch with those of other chats; above, they are counted by a query. */
const spanMax = 20

export type Chat = { member: Member; lastMessage: Message | undefined }
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
    const last = await lastMessages(members)
    return members
      .map((member, i) => ({ member, lastMessage: last[i] }))
      .filter(hasBegun)
      .sort(byActivity)
  }

  /**
   * In the order asked for. Redis's counters say where the last messages should be, one batch fetches them and looks
   * into the cells after; a query answers only for those where the two disagree.
   */
  async function lastMessages(members: readonly Member[]): Promise<(Message | undefined)[]> {
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
    return Promise.all(
      ids.map((id, i) => {
        const head = heads[i] ?? 0
        const row = found.get(`${id} ${head}`)
        const agreed = row && isMessage(row) && !found.has(`${id} ${head + 1}`)
        return agreed ? row : log.lastMessage(id)
      }),
    )
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

  return { list, lastMessages, unreadCounts }
}

const unreadCells = ({ member, readSeq, lastSeq }: UnreadRequest): MessageAddress[] =>
  Array.from({ length: Math.max(0, lastSeq - readSeq) }, (_, i) => ({
    conversationId: member.conversation.id,
    seq: readSeq + 1 + i,
  }))

/** A direct chat begins with its first message; a send that failed before it may have left an empty one. */
const hasBegun = ({ member, lastMessage }: Chat): boolean =>
  lastMessage !== undefined || member.conversation.kind === 'GROUP'

/** The place of a chat in the list; a chat without a message comes last. */
export const activityOf = ({ member, lastMessage }: Chat): { atMs: number; id: ConversationId } => ({
  atMs: lastMessage?.sentAtMs ?? 0,
  id: member.conversation.id,
})

function byActivity(one: Chat, other: Chat): number {
  const [a, b] = [activityOf(one), activityOf(other)]
  return b.atMs - a.atMs || (a.id < b.id ? -1 : 1)
}
