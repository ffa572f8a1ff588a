import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, Seq, UserId } from '../../protocol/ids.ts'
import type { Access } from './access.ts'
import type { Listed } from './chat-list.ts'
import type { Chats } from './chats.ts'
import type { UnreadRequest } from './unread.ts'

// Finds which chats of a user have something unread. For most of them two numbers tell it, which are known for all of them: how far the user has
// read (one query), and the seq of the last message, as the order of the list knows it. The others are looked into a few at a time, and
// only until there are enough: first at the last message alone, which mostly tells, then at everything above what was read.

const lookedIntoAtATime = 50

type Needs = Pick<Ports, 'boundaries'> & { access: Access; chats: Chats }

export function createUnreadChats({ boundaries, access, chats }: Needs) {
  /** The first `max` of these that have something unread, or that have nothing, in their order. */
  async function choose(userId: UserId, listed: readonly Listed[], isUnread: boolean, max: number): Promise<Listed[]> {
    const own = await boundaries.ofUser(userId)
    const readSeqs = new Map(own.map(({ conversationId, lastReadSeq }) => [conversationId, lastReadSeq]))
    const isBehind = ({ sortKey, activity }: Listed) => activity.seq > (readSeqs.get(sortKey.id) ?? 0)
    // Nothing has to be looked up for chats that are read to their last message.
    const candidates = isUnread ? listed.filter(isBehind) : listed
    const chosen: Listed[] = []
    for (let i = 0; i < candidates.length && chosen.length < max; i += lookedIntoAtATime) {
      const some = candidates.slice(i, i + lookedIntoAtATime)
      const unread = await unreadAmong(userId, some.filter(isBehind), readSeqs)
      chosen.push(...some.filter(({ sortKey }) => unread.has(sortKey.id) === isUnread))
    }
    return chosen.slice(0, max)
  }

  async function unreadAmong(
    userId: UserId,
    behind: readonly Listed[],
    readSeqs: ReadonlyMap<ConversationId, Seq>,
  ): Promise<Set<ConversationId>> {
    const members = await access.findListed(
      userId,
      behind.map(({ sortKey }) => sortKey.id),
    )
    const requests = behind.flatMap(({ sortKey, activity }, i): UnreadRequest[] => {
      const member = members[i]
      if (!member) return []
      return [
        { member, readSeq: Math.max(readSeqs.get(sortKey.id) ?? 0, member.joinedSeq), lastSeq: activity.seq },
      ].filter(({ readSeq, lastSeq }) => readSeq < lastSeq)
    })
    const lasts = await counted(requests.map((each) => ({ ...each, readSeq: each.lastSeq - 1 })))
    const rest = await counted(requests.filter(({ member }) => !lasts.has(member.conversation.id)))
    return new Set([...lasts, ...rest])
  }

  /** Where there is any. */
  async function counted(requests: readonly UnreadRequest[]): Promise<Set<ConversationId>> {
    const counts = requests.length > 0 ? await chats.unreadCounts(requests) : []
    return new Set(requests.filter((_, i) => counts[i]).map(({ member }) => member.conversation.id))
  }

  return { choose }
}
