import type { LogRow, Message } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import type { LastActivity } from '../../ports/soft-state.ts'
import type { ConversationId, MessageAddress, Seq, UserId } from '../../protocol/ids.ts'
import { isMessage, type Log } from '../log/log.ts'
import type { Access, Member } from './access.ts'
import { createCountUnread, type UnreadRequest } from './unread.ts'

/** Up to this many cells are fetched in one batch with those of other chats. More are counted by a query. */
const spanMax = 20

/** The end of a conversation's log. `lastSeq` is that of the last entry, which need not be a message. */
export type Tail = { lastSeq: Seq; lastMessage: Message | undefined }

export type Chats = ReturnType<typeof createChats>

type Needs = Pick<Ports, 'messages' | 'sequencer'> & { log: Log; access: Access }

export function createChats({ log, messages, sequencer, access }: Needs) {
  const countUnread = createCountUnread({ messages })

  /**
   * Returns the tails in the order asked for. Redis's counters say where the last entries should be; the activities, if known, say where the
   * last messages are. One batch fetches what lies between the two, and the cell after. A query is needed only where the log goes on after
   * the counter, or where no message was among them.
   */
  async function tails(
    members: readonly Member[],
    activities: readonly (LastActivity | undefined)[] = [],
  ): Promise<Tail[]> {
    if (members.length === 0) return []
    const ids = members.map((member) => member.conversation.id)
    const counters = await sequencer.counters(ids)
    const spans = ids.map((conversationId, i) => lastCells(conversationId, counters[i], activities[i]?.seq))
    const found = new Map((await messages.getMany(spans.flat())).map((row) => [keyOf(row), row] as const))
    const all = await Promise.all(
      ids.map((id, i) => {
        const [after, ...descending] = spans[i] ?? []
        const rows = descending.map((cell) => found.get(keyOf(cell)))
        const last = rows[0] && after && !found.has(keyOf(after)) ? rows.filter((row) => row !== undefined) : []
        return tail(id, last, members[i]?.joinedSeq)
      }),
    )
    const mayShow = await access.mayShow(members.map((member, i) => ({ member, seq: all[i]?.lastMessage?.seq ?? 0 })))
    return all.map((each, i) => (mayShow[i] ? each : { ...each, lastMessage: undefined }))
  }

  /** `last` are the rows the log ends with, descending, as far as they are known. A last message is not looked for at `floor` or below. */
  async function tail(id: ConversationId, last: readonly LogRow[], floor: Seq = 0): Promise<Tail> {
    const entry = last.find((row) => row.kind !== 'void') ?? (await log.lastEntry(id))
    if (!entry) return { lastSeq: 0, lastMessage: undefined }
    if (isMessage(entry)) return { lastSeq: entry.seq, lastMessage: entry }
    return { lastSeq: entry.seq, lastMessage: last.find(isMessage) ?? (await log.lastMessage(id, entry.seq, floor)) }
  }

  /**
   * Counts the messages of others above what the user has read, in the order asked for. Deleted messages do not count, as there is nothing left
   * to read in them; `unreadMax` stands for that many or more.
   */
  async function unreadCounts(requests: readonly UnreadRequest[]): Promise<number[]> {
    const isShort = ({ readSeq, lastSeq }: UnreadRequest) => lastSeq - readSeq <= spanMax
    const rows = await messages.getMany(requests.filter(isShort).flatMap(unreadCells))
    const cells = new Map<ConversationId, LogRow[]>()
    for (const row of rows) cells.set(row.conversationId, [...(cells.get(row.conversationId) ?? []), row])
    return Promise.all(
      requests.map((each) => {
        const { userId, conversation } = each.member
        if (!isShort(each)) return countUnread(each)
        return cells.get(conversation.id)?.filter((row) => isUnread(row, userId)).length ?? 0
      }),
    )
  }

  return { tails, unreadCounts }
}

const unreadCells = ({ member, readSeq, lastSeq }: UnreadRequest): MessageAddress[] =>
  Array.from({ length: Math.max(0, lastSeq - readSeq) }, (_, i) => ({
    conversationId: member.conversation.id,
    seq: readSeq + 1 + i,
  }))

const isUnread = (row: LogRow, userId: UserId): boolean =>
  isMessage(row) && row.senderId !== userId && row.deletedAtMs === undefined

/** Returns the cell after the last one, and those down to the last message if that is not far. */
function lastCells(
  conversationId: ConversationId,
  counter: Seq | undefined,
  messageSeq: Seq | undefined,
): MessageAddress[] {
  if (!counter) return []
  const behind = messageSeq === undefined ? 0 : counter - messageSeq
  const lowest = behind >= 0 && behind <= spanMax ? counter - behind : counter
  return Array.from({ length: counter + 2 - lowest }, (_, i) => ({ conversationId, seq: counter + 1 - i }))
}

const keyOf = ({ conversationId, seq }: MessageAddress): string => `${conversationId} ${seq}`
