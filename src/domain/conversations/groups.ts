import type { Group } from '../../ports/conversations.ts'
import type { Claim, GroupChange, LogRow } from '../../ports/log.ts'
import type { Departure } from '../../ports/people.ts'
import type { Ports } from '../../ports/ports.ts'
import { notFound, unavailable } from '../../protocol/errors.ts'
import {
  type ClientMessageId,
  type ConversationId,
  groupIdOf,
  type MessageId,
  type UserId,
} from '../../protocol/ids.ts'
import { type Append, conflict } from '../log/append.ts'
import type { Payloads } from '../log/payloads.ts'
import type { Access, Member } from './access.ts'
import { createConsent } from './consent.ts'
import {
  changed,
  leaveOut,
  type MembersRequest,
  toFound,
  toLeave,
  toRename,
  toUpdateMembers,
  type Wish,
} from './group.ts'
import type { createGroupQuotas } from './group-quotas.ts'

// Changing a group: put the change into its log, bring the group's row from the version it was made for to its seq, announce it.
//
// The row is the truth, and its version lets one change after the other through: of two made for the same version one takes
// effect, the other's author looks again and makes a new one, if there is still something to do. A change in the log that
// never took effect means nothing.
//
// A reader that meets a change in the log sees to it that it is decided before it goes on, as it does with a hole. So for
// whoever reads the log, a member is in the group exactly between the change that brought them and the one that took them:
// nothing above that one is ever shown to them, however late the author's node, or however old this node's copy.
//
// Rows of the index come before the group's row, and go after it: they may be there in vain, never missing.

const attemptsMax = 10
const rowsAtATime = 25

type GroupRequest = { clientGroupId: ClientMessageId; title: string; memberIds: readonly UserId[] }

type Stores = 'conversations' | 'memberships' | 'messages' | 'claims' | 'blocks' | 'departures'
type Needs = Pick<Ports, Stores | 'versions' | 'events' | 'clock'> & {
  quotas: ReturnType<typeof createGroupQuotas>
  access: Access
  append: Append
  payloadOf: Payloads
  nextMessageId: () => MessageId
  randomId: () => string
}

export type Groups = ReturnType<typeof createGroups>

/** What is to change of this version of the group; undefined where it is so already. */
type WishFor = (group: Group) => Wish | undefined | Promise<Wish | undefined>

export function createGroups(needs: Needs) {
  const { conversations, memberships, messages, claims, departures, versions, events, clock } = needs
  const { quotas, access, append, payloadOf, nextMessageId, randomId } = needs
  const consentOf = createConsent(needs)
  const deciding = new Map<string, Promise<Group | undefined>>()

  /**
   * The claim decides the group's id, so that every retry, at whatever age, comes to the same group. The claim is for what was asked;
   * who is in the group is what its first entry says, whoever has blocked whom when a retry comes.
   */
  async function create(userId: UserId, { clientGroupId, title, memberIds }: GroupRequest): Promise<Member> {
    const wish = toFound(userId, title, memberIds)
    await quotas.takeGroup(userId)
    await quotas.takeAdditions(userId, wish.added.length - 1)
    const payload = payloadOf(textOf(wish), isOf(wish))
    const claim = await claims.claim({
      senderId: userId,
      // No clientMessageId holds a '#': groups have a supply of their own.
      clientMessageId: `#${clientGroupId}` as ClientMessageId,
      conversationId: groupIdOf(nextMessageId()),
      seq: 1,
      payloadHash: payload.hash,
    })
    if (!(await payload.isOf(claim))) throw conflict('clientGroupId')
    const { refusing } = await consentOf(wish.added, userId)
    const first = await putFirst(claim, { ...wish, added: wish.added.filter((each) => !refusing.has(each)) })
    const [existing] = await conversations.getMany([claim.conversationId])
    if (!existing) {
      await memberships.found(first.added, { conversationId: first.conversationId, joinedSeq: first.seq })
      await conversations.create(changed(undefined, first))
      await versions.raise(claim.conversationId, first.seq)
    }
    await publishMemberships(first)
    return requireOwn(userId, claim.conversationId)
  }

  async function putFirst(claim: Claim, wish: Wish): Promise<GroupChange> {
    const { conversationId, senderId, clientMessageId, seq } = claim
    const entry = { conversationId, seq, senderId, clientMessageId, messageId: nextMessageId(), sentAtMs: clock.now() }
    const first: GroupChange = { kind: 'group', ...entry, baseVersion: 0, ...wish }
    if ((await messages.put(first)) === 'written') return first
    const cell = await messages.get(first)
    if (cell?.kind !== 'group') throw unavailable(new Error('The first cell of a group holds something else.'))
    return cell
  }

  async function updateMembers(member: Member, request: MembersRequest): Promise<Member> {
    const { userId: actorId } = member
    const returning = new Map<UserId, Departure>()
    let isPaid = false
    const changedMember = await change(member, async (group) => {
      const wish = toUpdateMembers(group, actorId, request)
      if (!wish || wish.added.length === 0) return wish
      if (!isPaid) await quotas.takeAdditions(actorId, wish.added.length)
      isPaid = true
      const consent = await consentOf(wish.added, actorId, group.id)
      for (const departure of consent.returning) returning.set(departure.userId, departure)
      return leaveOut(group, wish, consent.refusing)
    })
    const { members } = changedMember.conversation
    const isBack = ({ userId }: Departure) => members.includes(userId)
    await inBatches([...returning.values()].filter(isBack), (departure) => departures.remove(departure))
    return changedMember
  }

  const rename = (member: Member, title: string): Promise<Member> =>
    change(member, (group) => toRename(group, member.userId, title))

  /**
   * The departure comes first. A crash after it leaves somebody in the group who wanted to leave; the other way round it would leave
   * somebody out of it whom those they left may take back at once, and so would an addition that comes between the two.
   */
  async function leave(member: Member): Promise<void> {
    const { userId, conversation } = member
    await departures.put({ userId, groupId: conversation.id, leftAtMs: clock.now() })
    await make(member, (group) => toLeave(group, member.userId))
  }

  /** What is so already costs nothing, and neither do further attempts at the same. */
  async function change(member: Member, wishFor: WishFor): Promise<Member> {
    let isPaid = false
    const isIn = await make(member, async (group) => {
      const wish = await wishFor(group)
      if (wish && !isPaid) await quotas.takeChange(member.userId)
      isPaid ||= wish !== undefined
      return wish
    })
    // They were removed before it took effect. Somebody may have added them again since: that does not make it take effect.
    if (!isIn) throw notFound()
    return requireOwn(member.userId, member.conversation.id)
  }

  /** Of somebody who was in it a moment ago. */
  async function requireOwn(userId: UserId, id: ConversationId): Promise<Member> {
    const [member] = await access.findListed(userId, [id])
    if (!member) throw notFound()
    return member
  }

  /** Returns false where the member was found to be out of the group after an attempt that did not take effect. */
  async function make(member: Member, wishFor: WishFor): Promise<boolean> {
    const { id } = member.conversation
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const group = await read(id)
      if (!group?.membersById.has(member.userId)) {
        // Perhaps by an attempt of this very call that died before it said so.
        if (group) await versions.raise(id, group.version)
        if (attempt > 0) return false
        throw notFound()
      }
      const wish = await wishFor(group)
      // Likewise: what is so already may not have been announced.
      if (!wish) {
        await announceLast(group)
        return true
      }
      const { row } = await append<GroupChange>(member, {
        clientMessageId: randomId() as ClientMessageId,
        payload: payloadOf(textOf(wish), isOf(wish)),
        above: group.version,
        row: (entry) => ({ kind: 'group', ...entry, baseVersion: group.version, ...wish }),
      })
      const { now } = await apply(row)
      if (now?.version === row.seq) {
        await announce(now, row)
        return true
      }
    }
    throw unavailable(new Error('Others kept changing the group.'))
  }

  /** The group once this change is decided, one way or the other. */
  async function settle(change: GroupChange): Promise<Group | undefined> {
    const copy = access.copyOf(change.conversationId)
    if (copy && copy.version >= change.seq) return copy
    if (copy && change.applied && copy.version === change.baseVersion) {
      const next = changed(copy, change)
      access.keep(next)
      return next
    }
    const key = `${change.conversationId} ${change.seq}`
    const decided = deciding.get(key) ?? decide(change).finally(() => deciding.delete(key))
    deciding.set(key, decided)
    return decided
  }

  /** Its author may have died in the middle: then nobody else announces it. */
  async function decide(change: GroupChange): Promise<Group | undefined> {
    const { now, took } = await apply(change)
    if (now && took) await announce(now, change)
    return now
  }

  /** Lets it take effect if it can. `now`: the group as it is then. `took`: this call did it. */
  async function apply(change: GroupChange): Promise<{ now: Group | undefined; took: boolean }> {
    const group = await read(change.conversationId)
    if (group?.version !== change.baseVersion) return { now: group, took: false }
    const now = changed(group, change)
    await index(change)
    if (!(await conversations.replace(now, group.version))) {
      return { now: await read(change.conversationId), took: false }
    }
    access.keep(now)
    await inBatches(change.removed, (userId) => memberships.remove(userId, now.id, change.seq))
    return { now, took: true }
  }

  const index = ({ conversationId, added, seq }: GroupChange): Promise<void> =>
    inBatches(added, (userId) => memberships.add(userId, { conversationId, joinedSeq: seq }))

  /** The version first: whoever comes after the news must not be judged by an old copy. */
  async function announce(group: Group, change: GroupChange): Promise<void> {
    await versions.raise(group.id, group.version)
    await Promise.all([events.publishGroupEntry({ ...change, applied: true }), publishMemberships(change)])
  }

  async function publishMemberships({ conversationId, seq, added, removed }: GroupChange): Promise<void> {
    if (added.length > 0) await events.publishMembership(added, { conversationId, seq, joined: true })
    if (removed.length > 0) await events.publishMembership(removed, { conversationId, seq, joined: false })
  }

  async function announceLast(group: Group): Promise<void> {
    const last = await messages.get({ conversationId: group.id, seq: group.version })
    if (last?.kind === 'group') await announce(group, last)
  }

  async function read(id: ConversationId): Promise<Group | undefined> {
    const [group] = await conversations.getMany([id])
    if (group?.kind !== 'GROUP') return undefined
    access.keep(group)
    return group
  }

  return { create, updateMembers, rename, leave, settle }
}

/** The same for every attempt of one call. */
const textOf = ({ added, removed, roles, title }: Omit<Wish, 'title'> & { title?: string }): string =>
  JSON.stringify([[...added].sort(), removed, roles, title])

/** People who refuse to be added are left out of the row, and of a retry perhaps others. */
const isOf =
  (wish: Wish) =>
  (row: LogRow): boolean =>
    row.kind === 'group' &&
    row.added.every((userId) => wish.added.includes(userId)) &&
    textOf({ ...row, added: [] }) === textOf({ ...wish, added: [] })

async function inBatches<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < all.length; i += rowsAtATime) await Promise.all(all.slice(i, i + rowsAtATime).map(work))
}
