import { LRUCache } from 'lru-cache'
import type { Conversation, Group, Membership } from '../ports/conversations.ts'
import type { Audience } from '../ports/events.ts'
import type { Ports } from '../ports/ports.ts'
import { notFound } from '../protocol/errors.ts'
import { type ConversationId, isGroupId, type Seq, type UserId } from '../protocol/ids.ts'
import { directConversationId } from './conversation-id.ts'
import { joinedSeqOf } from './group.ts'

declare const checked: unique symbol

/**
 * The proof that a user is in a conversation. Whatever reads or writes a conversation takes one of these, and only this
 * file makes them: that is the one place membership is checked.
 */
export type Member = {
  readonly userId: UserId
  readonly conversation: Conversation
  /** What is at or below this is not theirs to see; 0 in a direct chat. */
  readonly joinedSeq: Seq
  readonly [checked]: true
}

/** What somebody has read of a conversation: the entry at `seq`. */
type Read = { member: Member; seq: Seq }

export type Access = ReturnType<typeof createAccess>

type Needs = Pick<Ports, 'conversations' | 'memberships' | 'versions'> & { randomId: () => string }

export function createAccess({ conversations, memberships, versions, randomId }: Needs, cacheSize: number) {
  // A direct chat never changes its members, so a row once seen stays true. Of a group it is a copy, good only for as long as
  // Redis knows of no later version.
  const known = new LRUCache<ConversationId, Conversation>({ max: cacheSize })

  function keep(conversation: Conversation): void {
    if (conversation.kind === 'GROUP' && conversation.version < versionOf(conversation.id)) return
    known.set(conversation.id, conversation)
  }

  const versionOf = (id: ConversationId): Seq => copyOf(id)?.version ?? 0

  async function load(ids: readonly ConversationId[]): Promise<void> {
    const token = randomId()
    const groups = ids.filter(isGroupId)
    const newest = groups.length > 0 ? await versions.look(groups, token) : []
    const stale = groups.filter((id, i) => {
      const version = newest[i]
      return version === undefined || versionOf(id) < version
    })
    const wanted = [...ids.filter((id) => !isGroupId(id) && !known.has(id)), ...stale]
    const rows = wanted.length > 0 ? await conversations.getMany(wanted) : []
    for (const conversation of rows) keep(conversation)
    await Promise.all(
      groups.map((id, i) => {
        const version = newest[i]
        if (version === undefined) return known.has(id) ? versions.settle(id, token, versionOf(id)) : undefined
        // Whoever replaced the group has not said so yet, or never will: what one is shown, all are judged by.
        return versionOf(id) > version ? versions.raise(id, versionOf(id)) : undefined
      }),
    )
  }

  /** In the order asked for; undefined where there is no such conversation or the user is not in it. */
  async function find(userId: UserId, ids: readonly ConversationId[]): Promise<(Member | undefined)[]> {
    await load(ids)
    return ids.map((id) => recall(userId, id))
  }

  /**
   * Whether each may be shown the entry that was read, after it was. They were asked for before, and may have been taken out of the
   * group since; only an entry above the version known then can be one that is no longer theirs to see.
   */
  async function mayShow(read: readonly Read[]): Promise<boolean[]> {
    const news = read.filter(isNews)
    if (news.length > 0) await load(news.map(({ member }) => member.conversation.id))
    return read.map((each) => {
      const { userId, conversation } = each.member
      const now = isNews(each) ? recall(userId, conversation.id) : each.member
      return now !== undefined && each.seq > now.joinedSeq
    })
  }

  /** As far as this node has seen: for those who hear of every change. */
  function recall(userId: UserId, id: ConversationId): Member | undefined {
    const conversation = known.get(id)
    return conversation && admit(userId, conversation)
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
    keep(conversation)
    return member(userId, id)
  }

  /** Every conversation the user is in. */
  async function all(userId: UserId): Promise<Member[]> {
    return among(userId, await memberships.ofUser(userId))
  }

  /** Those of these that the user is in. */
  async function among(userId: UserId, own: readonly Pick<Membership, 'conversationId'>[]): Promise<Member[]> {
    const found = await find(
      userId,
      own.map((each) => each.conversationId),
    )
    return found.filter((each) => each !== undefined)
  }

  /** Whether these two share a conversation, and so may see each other. */
  async function acquainted(userId: UserId, otherId: UserId): Promise<boolean> {
    if (await findDirect(userId, otherId)) return true
    return (await acquaintances(userId, [otherId])).has(otherId)
  }

  /** Which of these the user shares a conversation with: the same few reads however many they are. */
  async function acquaintances(userId: UserId, others: readonly UserId[]): Promise<Set<UserId>> {
    const own = (await memberships.ofUser(userId)).map((each) => each.conversationId)
    const direct = new Set(others.map((other) => directConversationId(userId, other)))
    const members = await find(
      userId,
      own.filter((id) => isGroupId(id) || direct.has(id)),
    )
    const shared = members.flatMap((member) => (member ? [member.conversation] : []))
    return new Set(others.filter((other) => shared.some((conversation) => isIn(other, conversation))))
  }

  /** This node's copy of a group, as old as it may be. */
  function copyOf(id: ConversationId): Group | undefined {
    const copy = known.get(id)
    return copy?.kind === 'GROUP' ? copy : undefined
  }

  return { find, mayShow, findDirect, member, direct, all, among, acquainted, acquaintances, recall, keep, copyOf }
}

export const othersOf = ({ userId, conversation }: Member): UserId[] =>
  conversation.members.filter((each) => each !== userId)

/** Whom to tell of what a member does: everybody, as they may have other devices. */
export const audienceOf = ({ conversation }: Member): Audience =>
  conversation.kind === 'GROUP' ? conversation.id : conversation.members

const isNews = ({ member: { conversation }, seq }: Read): boolean =>
  conversation.kind === 'GROUP' && seq > conversation.version

const isIn = (userId: UserId, conversation: Conversation): boolean =>
  conversation.kind === 'GROUP' ? conversation.seats.has(userId) : conversation.members.includes(userId)

function admit(userId: UserId, conversation: Conversation): Member | undefined {
  if (!isIn(userId, conversation)) return undefined
  return { userId, conversation, joinedSeq: joinedSeqOf(conversation, userId) } as Member
}
