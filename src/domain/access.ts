import { LRUCache } from 'lru-cache'
import { notFound } from '../protocol/errors.ts'
import type { ConversationId, UserId } from '../protocol/ids.ts'
import { directConversationId } from './conversation-id.ts'
import type { Conversation, Ports } from './ports.ts'

declare const checked: unique symbol

/**
 * The proof that a user is in a conversation. Whatever reads or writes a conversation takes one of these, and only this
 * file makes them: that is the one place membership is checked.
 */
export type Member = { readonly userId: UserId; readonly conversation: Conversation; readonly [checked]: true }

export type Access = ReturnType<typeof createAccess>

export function createAccess(
  { conversations, memberships }: Pick<Ports, 'conversations' | 'memberships'>,
  cacheSize: number,
) {
  // A direct chat never changes its members, so a row once seen stays true.
  const known = new LRUCache<ConversationId, Conversation>({ max: cacheSize })

  async function load(ids: readonly ConversationId[]): Promise<void> {
    const unknown = ids.filter((id) => !known.has(id))
    if (unknown.length === 0) return
    for (const conversation of await conversations.getMany(unknown)) known.set(conversation.id, conversation)
  }

  /** In the order asked for; undefined where there is no such conversation or the user is not in it. */
  async function find(userId: UserId, ids: readonly ConversationId[]): Promise<(Member | undefined)[]> {
    await load(ids)
    return ids.map((id) => {
      const conversation = known.get(id)
      return conversation?.members.includes(userId) ? admit(userId, conversation) : undefined
    })
  }

  async function member(userId: UserId, id: ConversationId): Promise<Member> {
    const [found] = await find(userId, [id])
    if (!found) throw notFound()
    return found
  }

  async function findDirect(userId: UserId, otherId: UserId): Promise<Member | undefined> {
    const [found] = await find(userId, [directConversationId(userId, otherId)])
    return found
  }

  /**
   * The direct chat of these two, made if need be. The conversation's own row comes last: where it exists, the
   * memberships do too, and a crash before it leaves only memberships that the next attempt writes again.
   */
  async function direct(userId: UserId, otherId: UserId): Promise<Member> {
    const found = await findDirect(userId, otherId)
    if (found) return found
    const id = directConversationId(userId, otherId)
    const members = [...new Set([userId, otherId])]
    await Promise.all(members.map((each) => memberships.add(each, { conversationId: id, joinedSeq: 0 })))
    const conversation: Conversation = { id, kind: 'DIRECT', members }
    await conversations.create(conversation)
    known.set(id, conversation)
    return admit(userId, conversation)
  }

  /** Whether these two share a conversation, and so may see each other. */
  async function acquainted(userId: UserId, otherId: UserId): Promise<boolean> {
    return (await findDirect(userId, otherId)) !== undefined
  }

  return { find, findDirect, member, direct, acquainted }
}

export const othersOf = ({ userId, conversation }: Member): UserId[] =>
  conversation.members.filter((each) => each !== userId)

function admit(userId: UserId, conversation: Conversation): Member {
  return { userId, conversation } as Member
}
