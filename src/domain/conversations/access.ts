import { LRUCache } from 'lru-cache'
import type { Conversation, Group, Membership } from '../../ports/conversations.ts'
import type { Audience } from '../../ports/events.ts'
import type { Ports } from '../../ports/ports.ts'
import { ChatError, notFound } from '../../protocol/errors.ts'
import { type ConversationId, isGroupId, type Seq, type UserId } from '../../protocol/ids.ts'
import { entriesAndSizeMax } from '../../shared/entries-max.ts'
import { directConversationId } from './conversation-id.ts'
import { joinedSeqOf } from './group.ts'

declare const checked: unique symbol

/**
 * A Member is the proof that a user is in a conversation. Everything that reads or writes a conversation takes one of these, and only this
 * file makes them: this is the only place where membership is checked.
 */
export type Member = {
  readonly userId: UserId
  readonly conversation: Conversation
  /** The member may not see what is at or below this seq: where they joined, or the floor of the conversation. */
  readonly joinedSeq: Seq
  /** It is set for a direct chat that does not exist yet: its first message creates it. */
  readonly isToBegin?: true
  /** It is set for a service, which sees the whole of a conversation and need not be in it. */
  readonly isService?: true
  readonly [checked]: true
}

/** An entry, at `seq`, that was read for a member. A member's view begins with the notice that they were added, at `joinedSeq`. */
type Read = { member: Member; seq: Seq; isNotice?: boolean }

export type Access = ReturnType<typeof createAccess>

type Needs = Pick<Ports, 'conversations' | 'memberships' | 'messages' | 'versions' | 'indexStamps'> & {
  randomId: () => string
  /** Whether the user is refused for good. They may be erased: then somebody else takes their place in their direct chats. */
  isGone?: (userId: UserId) => boolean
}

/** A node caches this many conversations, and this many bytes of them. A group of 1,024 members takes about 120 KB. */
type ConversationCacheSize = { entries: number; bytes: number }

/** This is the size of one batch of DynamoDB. The groups of a user who is in thousands are read in such steps, so that each step is in time. */
const askedAtATime = 100

export function createAccess(
  { conversations, memberships, messages, versions, indexStamps, randomId, isGone = () => false }: Needs,
  size: ConversationCacheSize,
) {
  // A direct chat keeps its members, so a row once seen stays true. A group here is a copy that is valid only while Redis knows of no
  // later version.
  const known = new LRUCache<ConversationId, Conversation>(entriesAndSizeMax(size.entries, size.bytes, bytesOf))

  /** A node that has died may have replaced these, and Redis knows of no later version. */
  let doubted = new WeakSet<Conversation>()

  /** Has the groups read anew that are known here. */
  function doubtCopies(): void {
    doubted = new WeakSet([...known.values()].filter(({ kind }) => kind === 'GROUP'))
  }

  /** Keeps and returns the later one of this conversation and the cached copy. */
  function keep(conversation: Conversation): Conversation {
    const copy = copyOf(conversation.id)
    if (copy && conversation.kind === 'GROUP' && conversation.version < copy.version) return copy
    if (isLasting(conversation)) known.set(conversation.id, conversation)
    return conversation
  }

  /** A direct chat never changes its members, unless one of them is erased. */
  const isLasting = ({ kind, members }: Conversation): boolean => kind === 'GROUP' || !members.some(isGone)

  function cached(id: ConversationId): Conversation | undefined {
    const conversation = known.get(id)
    return conversation && isLasting(conversation) ? conversation : undefined
  }

  /** Returns those that exist, as they are now. The caller uses what is returned, as the cache may drop any of them at any time. */
  async function load(ids: readonly ConversationId[]): Promise<Map<ConversationId, Conversation>> {
    const found = new Map<ConversationId, Conversation>()
    const unknown = [...new Set(ids)].filter((id) => {
      const direct = isGroupId(id) ? undefined : cached(id)
      if (direct) found.set(id, direct)
      return !direct
    })
    for (let i = 0; i < unknown.length; i += askedAtATime) await loadSome(unknown.slice(i, i + askedAtATime), found)
    return found
  }

  async function loadSome(ids: readonly ConversationId[], found: Map<ConversationId, Conversation>): Promise<void> {
    const token = randomId()
    const groups = ids.filter(isGroupId)
    const newest = groups.length > 0 ? await versions.look(groups, token) : []
    for (const [i, id] of groups.entries()) {
      const [copy, version] = [copyOf(id), newest[i]]
      if (copy && !doubted.has(copy) && version !== undefined && copy.version >= version) found.set(id, copy)
    }
    const wanted = ids.filter((id) => !found.has(id))
    const rows = wanted.length > 0 ? await conversations.getMany(wanted) : []
    for (const conversation of rows) found.set(conversation.id, keep(conversation))
    await Promise.all(
      groups.map((id, i) => {
        const [group, version] = [found.get(id), newest[i]]
        if (group?.kind !== 'GROUP') return undefined
        if (version === undefined) return versions.seed(id, token, group.version)
        // The node that replaced the group has not raised the version yet, or has died. Access is decided by what was shown, so it is raised here.
        return group.version > version ? raiseVersion(group) : undefined
      }),
    )
  }

  /**
   * Says that a group has this version where the node that made it may have died before. Streams of those whom it added or removed may have looked
   * in between with an old copy, so they look again.
   */
  async function raiseVersion({ id, version }: Group): Promise<void> {
    await versions.raise(id, version)
    const last = await messages.get({ conversationId: id, seq: version })
    const concerned = last?.kind === 'group' ? [...last.added, ...last.removed] : []
    if (concerned.length > 0) await indexStamps.replace(concerned)
  }

  /**
   * Returns the members in the order asked for; undefined where there is no such conversation or the user is not in it. Any user may ask
   * about any id, and the id of a direct chat can be computed. So the user's own row of the index is read first, unless a cached copy has
   * the user in it. Where there is no row, the conversation is not looked at: the call takes the same steps whether it exists or not.
   */
  async function find(userId: UserId, ids: readonly ConversationId[]): Promise<(Member | undefined)[]> {
    const unsure = ids.filter((id) => !recall(userId, id))
    const rows =
      unsure.length > 0 ? await memberships.getMany(unsure.map((conversationId) => ({ userId, conversationId }))) : []
    const unlisted = new Set(unsure.filter((_, i) => !rows[i]))
    return findListed(userId, unlisted.size === 0 ? ids : ids.map((id) => (unlisted.has(id) ? undefined : id)))
  }

  /** Does the same for ids from the user's own index, or of the user's own direct chats: these reveal nothing. */
  async function findListed(
    userId: UserId,
    ids: readonly (ConversationId | undefined)[],
  ): Promise<(Member | undefined)[]> {
    const found = await load(ids.filter((id) => id !== undefined))
    return ids.map((id) => {
      const conversation = id && found.get(id)
      return conversation && admit(userId, conversation)
    })
  }

  /** Reads the conversation as it is now, for work that no user has asked for, such as push. */
  const current = async (id: ConversationId): Promise<Conversation | undefined> => (await load([id])).get(id)

  /**
   * Returns whether each entry may be shown to its member, after it was read. The members were looked up before, and may have been removed
   * from the group since. Only an entry above the version known then can be one that they may no longer see.
   */
  async function mayShow(read: readonly Read[]): Promise<boolean[]> {
    const found = await load(read.filter(isNews).map(({ member }) => member.conversation.id))
    return read.map((each) => {
      const { userId, conversation } = each.member
      const latest = isNews(each) ? found.get(conversation.id) : conversation
      const now = latest && admit(userId, latest)
      return now !== undefined && each.seq > floorOf(now, each.isNotice)
    })
  }

  /** Answers from the cache alone, for streams that hear of every change. */
  function recall(userId: UserId, id: ConversationId): Member | undefined {
    const conversation = cached(id)
    return conversation && admit(userId, conversation)
  }

  /** Returns whether the cache says that the user is not in the conversation. It is false for one that is not cached. */
  function isOut(userId: UserId, id: ConversationId): boolean {
    const conversation = cached(id)
    return conversation !== undefined && !isIn(userId, conversation)
  }

  async function member(userId: UserId, id: ConversationId): Promise<Member> {
    const [found] = await find(userId, [id])
    if (!found) throw notFound()
    return found
  }

  /** Returns the conversation for a service, whom the admin API has let in. Backends may see and do everything. */
  async function findForService(serviceId: UserId, id: ConversationId): Promise<Member | undefined> {
    const conversation = await current(id)
    return conversation && admitService(serviceId, conversation)
  }

  async function forService(serviceId: UserId, id: ConversationId): Promise<Member> {
    const found = await findForService(serviceId, id)
    if (!found) throw new ChatError('NOT_FOUND', 'There is no such conversation.')
    return found
  }

  /** Returns for a service the first `limit` of a user's conversations that come after this id, in the order of their ids. */
  async function pageForService(serviceId: UserId, userId: UserId, after: string, limit: number): Promise<Member[]> {
    const ids = (await memberships.ofUser(userId)).map((each) => each.conversationId).filter((id) => id > after)
    ids.sort()
    const found: Member[] = []
    // The index may have rows in vain.
    while (found.length < limit && ids.length > 0) {
      const some = await findListed(userId, ids.splice(0, Math.min(limit, askedAtATime)))
      for (const member of some) if (member) found.push(admitService(serviceId, member.conversation))
    }
    return found.slice(0, limit)
  }

  const isInAny = async (userId: UserId): Promise<boolean> => (await memberships.ofUser(userId)).length > 0

  async function findDirect(userId: UserId, otherId: UserId): Promise<Member | undefined> {
    const [found] = await findListed(userId, [directConversationId(userId, otherId)])
    return found
  }

  /**
   * Returns the direct chat of these two. Where there is none yet, it is one to begin: nothing is written for it until its first message is
   * in the log.
   */
  async function direct(userId: UserId, otherId: UserId): Promise<Member> {
    const found = await findDirect(userId, otherId)
    if (found) return found
    const members = [...new Set([userId, otherId])]
    const conversation: Conversation = { id: directConversationId(userId, otherId), kind: 'DIRECT', members }
    return { userId, conversation, joinedSeq: 0, isToBegin: true } as Member
  }

  /**
   * Writes the rows of a direct chat, after its first message is stored and before that is published. So the conversation's row proves
   * that there is a message, and two users are acquainted only by a message: an attempt that was refused, or whose node died, does not
   * let the sender see the other. The conversation's row comes last: where it exists, the memberships exist too. The index is as the streams of
   * both should see it only with that row, so the stamps are replaced once more after it.
   */
  async function begin({ conversation, isToBegin }: Member): Promise<void> {
    const { id, members } = conversation
    if (!isToBegin || cached(id)) return
    await indexStamps.replace(members)
    await Promise.all(members.map((each) => memberships.add(each, { conversationId: id, joinedSeq: 0 })))
    await conversations.create(conversation)
    await indexStamps.replace(members)
    keep(conversation)
  }

  /** Returns every conversation the user is in. */
  async function all(userId: UserId): Promise<Member[]> {
    return among(userId, await memberships.ofUser(userId))
  }

  /** Returns those of these conversations that the user is in. */
  async function among(userId: UserId, own: readonly Pick<Membership, 'conversationId'>[]): Promise<Member[]> {
    const found = await findListed(
      userId,
      own.map((each) => each.conversationId),
    )
    return found.filter((each) => each !== undefined)
  }

  /** Returns, in the order asked for, whether the user shares a conversation with each of these: then they may see each other. */
  async function areAcquainted(userId: UserId, others: readonly UserId[]): Promise<boolean[]> {
    const direct = await findListed(
      userId,
      others.map((other) => directConversationId(userId, other)),
    )
    const rest = others.filter((_, i) => !direct[i])
    const known = rest.length > 0 ? await acquaintances(userId, rest) : new Set<UserId>()
    return others.map((other, i) => direct[i] !== undefined || known.has(other))
  }

  /** Returns those with whom the user shares a conversation. It takes the same few reads however many are asked for. */
  async function acquaintances(userId: UserId, others: readonly UserId[]): Promise<Set<UserId>> {
    const own = (await memberships.ofUser(userId)).map((each) => each.conversationId)
    const direct = new Set(others.map((other) => directConversationId(userId, other)))
    const members = await findListed(
      userId,
      own.filter((id) => isGroupId(id) || direct.has(id)),
    )
    const shared = members.flatMap((member) => (member ? [member.conversation] : []))
    return new Set(others.filter((other) => shared.some((conversation) => isIn(other, conversation))))
  }

  /** Returns this node's copy of a group, however old it is. */
  function copyOf(id: ConversationId): Group | undefined {
    const copy = known.get(id)
    return copy?.kind === 'GROUP' ? copy : undefined
  }

  return {
    find,
    findListed,
    current,
    forService,
    findForService,
    pageForService,
    isInAny,
    mayShow,
    findDirect,
    member,
    direct,
    begin,
    all,
    among,
    areAcquainted,
    acquaintances,
    recall,
    forget: (id: ConversationId) => known.delete(id),
    isOut,
    keep,
    raiseVersion,
    doubtCopies,
    copyOf,
  }
}

export const othersOf = ({ userId, conversation }: Member): UserId[] =>
  conversation.members.filter((each) => each !== userId)

/** Returns who hears of what a member does: all members, the member included, as they may have other devices. */
export const audienceOf = ({ conversation }: Member): Audience =>
  conversation.kind === 'GROUP' ? conversation.id : conversation.members

/** Returns who hears of what concerns a member's own streams in no way. A group has one channel for all. */
export const audienceOfOthers = (member: Member): Audience =>
  member.conversation.kind === 'GROUP' ? member.conversation.id : othersOf(member)

/** Estimates the memory a conversation takes: ids are strings, and members of a group are objects. */
const bytesOf = (conversation: Conversation): number =>
  256 + 116 * conversation.members.length + (conversation.kind === 'GROUP' ? 8 * conversation.pastVersions.length : 0)

const isNews = ({ member: { conversation }, seq }: Read): boolean =>
  conversation.kind === 'GROUP' && seq > conversation.version

export const isIn = (userId: UserId, conversation: Conversation): boolean =>
  conversation.kind === 'GROUP' ? conversation.membersById.has(userId) : conversation.members.includes(userId)

/** What the member sees is above it. With notices, the first that they see is the change that added them. */
export const floorOf = ({ joinedSeq, conversation }: Member, notices = false): Seq =>
  notices ? Math.max(joinedSeq - 1, floorSeqOf(conversation)) : joinedSeq

/** Everything up to there was too old to be kept. */
export const floorSeqOf = ({ retention }: Conversation): Seq => retention?.floorSeq ?? 0

const admitService = (userId: UserId, conversation: Conversation): Member =>
  ({ userId, conversation, joinedSeq: floorSeqOf(conversation), isService: true }) as Member

function admit(userId: UserId, conversation: Conversation): Member | undefined {
  if (!isIn(userId, conversation)) return undefined
  const joinedSeq = Math.max(joinedSeqOf(conversation, userId), floorSeqOf(conversation))
  return { userId, conversation, joinedSeq } as Member
}
