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
import type { AnnounceEntry } from '../feed/announce.ts'
import { type Append, conflict } from '../log/append.ts'
import type { Payloads } from '../log/payloads.ts'
import type { ErasedAmong } from '../people/people.ts'
import type { Access, Member } from './access.ts'
import { createConsent } from './consent.ts'
import {
  changed,
  leaveOut,
  type MembersRequest,
  type ProposedChange,
  toCreate,
  toDescribeByService,
  toLeave,
  toRename,
  toUpdateByService,
  toUpdateMembers,
} from './group.ts'
import type { createGroupQuotas } from './group-quotas.ts'

// Changes a group: puts the change into its log, updates the group's row from the version the change was made for, announces it.
//
// The row is the truth, and its version lets one change after the other take effect: of two made for the same version one takes effect, and the
// author of the other reads the group again and makes a new change if it is still needed. A change in the log that never took effect means
// nothing.
//
// A reader that meets a change in the log has it decided before it goes on, as it does with a hole. So for every reader of the log, a member
// is in the group exactly between the change that added them and the one that removed them: nothing above that one is ever shown to them,
// however late the author's node, or however old this node's copy.
//
// Rows of the index are written before the group's row and deleted after it: there may be one too many, but none is ever missing.

const attemptsMax = 10
const rowsAtATime = 25

type GroupRequest = { clientGroupId: ClientMessageId; title: string; memberIds: readonly UserId[] }

type Stores = 'conversations' | 'memberships' | 'boundaries' | 'messages' | 'claims' | 'blocks' | 'departures'
type Needs = Pick<Ports, Stores | 'versions' | 'indexStamps' | 'events' | 'clock'> & {
  quotas: ReturnType<typeof createGroupQuotas>
  access: Access
  append: Append
  payloadOf: Payloads
  announceEntry: AnnounceEntry
  nextMessageId: () => MessageId
  randomId: () => string
  erasedAmong: ErasedAmong
}

export type Groups = ReturnType<typeof createGroups>

/** Says what to change of this version of the group. Returns undefined if the group is as wanted already. */
type Propose = (group: Group) => ProposedChange | undefined | Promise<ProposedChange | undefined>

export function createGroups(needs: Needs) {
  const { conversations, memberships, boundaries, messages, claims, departures, versions, indexStamps, events, clock } =
    needs
  const { quotas, access, append, payloadOf, announceEntry, nextMessageId, randomId, erasedAmong } = needs
  const consentOf = createConsent(needs)
  const deciding = new Map<string, Promise<Group | undefined>>()

  /**
   * Creates a group. The claim decides its id, so that every retry, at any age, comes to the same group. The claim is for what was asked; the
   * first entry says who is in the group, even if other people have blocked each other when a retry comes.
   */
  async function create(userId: UserId, { clientGroupId, title, memberIds }: GroupRequest): Promise<Member> {
    const proposed = toCreate(userId, title, memberIds)
    await quotas.takeGroup(userId)
    await quotas.takeAdditions(userId, proposed.added.length - 1)
    const id = await createFrom(userId, clientGroupId, proposed, async (added) => {
      const { refusing } = await consentOf(added, userId)
      return refusing
    })
    return requireOwn(userId, id)
  }

  /** Creates a group as its owner would. The service has claimed it, and is its author; nobody is asked. */
  async function createByService(
    serviceId: UserId,
    { clientGroupId, ownerId, title, memberIds, metadata }: GroupRequest & { ownerId: UserId; metadata?: string },
  ): Promise<Member> {
    const proposed = { ...toCreate(ownerId, title, memberIds), ...(metadata !== undefined && { metadata }) }
    const id = await createFrom(serviceId, clientGroupId, proposed, erasedAmong)
    return access.forService(serviceId, id)
  }

  async function createFrom(
    userId: UserId,
    clientGroupId: ClientMessageId,
    proposed: ProposedChange,
    refusingOf: (added: readonly UserId[]) => Promise<ReadonlySet<UserId>>,
  ): Promise<ConversationId> {
    const payload = payloadOf(textOf(proposed), isOf(proposed))
    const claim = await claims.claim({
      senderId: userId,
      // No clientMessageId holds a '#', so the ids of groups never collide with those of messages.
      clientMessageId: `#${clientGroupId}` as ClientMessageId,
      conversationId: groupIdOf(nextMessageId()),
      seq: 1,
      payloadHash: payload.hash,
    })
    if (!(await payload.isOf(claim))) throw conflict('clientGroupId')
    const refusing = await refusingOf(proposed.added)
    const first = await putFirst(claim, { ...proposed, added: proposed.added.filter((each) => !refusing.has(each)) })
    const [existing] = await conversations.getMany([claim.conversationId])
    if (!existing) {
      await indexStamps.replace(first.added)
      await memberships.addFirst(first.added, { conversationId: first.conversationId, joinedSeq: first.seq })
      await conversations.create(changed(undefined, first))
      await versions.raise(claim.conversationId, first.seq)
    }
    await publishMemberships(first)
    return claim.conversationId
  }

  async function putFirst(claim: Claim, proposed: ProposedChange): Promise<GroupChange> {
    const { conversationId, senderId, clientMessageId, seq } = claim
    const feedPosition = await announceEntry(claim)
    const entry = { conversationId, seq, senderId, clientMessageId, messageId: nextMessageId(), sentAtMs: clock.now() }
    const place = feedPosition === undefined ? {} : { feedPosition }
    const first: GroupChange = { kind: 'group', ...entry, ...place, baseVersion: 0, ...proposed }
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
      const proposed = toUpdateMembers(group, actorId, request)
      if (!proposed || proposed.added.length === 0) return proposed
      if (!isPaid) await quotas.takeAdditions(actorId, proposed.added.length)
      isPaid = true
      const consent = await consentOf(proposed.added, actorId, group.id)
      for (const departure of consent.returning) returning.set(departure.userId, departure)
      return leaveOut(group, proposed, consent.refusing)
    })
    await forget([...returning.values()], changedMember)
    return changedMember
  }

  /** The departures of those who are back. */
  async function forget(left: readonly Departure[], { conversation }: Member): Promise<void> {
    const isBack = ({ userId }: Departure) => conversation.members.includes(userId)
    await inBatches(left.filter(isBack), (departure) => departures.remove(departure))
  }

  /**
   * Changes who is in the group, at the word of a service: nobody is asked, and those who had left by themselves are back as if they had come by
   * themselves. Their departures are read after the group, as when a member adds them.
   */
  async function updateByService(member: Member, request: Pick<MembersRequest, 'add' | 'remove'>): Promise<Member> {
    let left: Departure[] = []
    await make(member, async (group) => {
      const erased = await erasedAmong(request.add)
      const add = request.add.filter((userId) => !erased.has(userId))
      const proposed = toUpdateByService(group, { ...request, add })
      if (proposed && proposed.added.length > 0) left = await departures.getMany(group.id, proposed.added)
      return proposed
    })
    const now = await access.forService(member.userId, member.conversation.id)
    await forget(left, now)
    return now
  }

  /** Changes the title and what a service has put beside the group. */
  async function describeByService(
    member: Member,
    wanted: Pick<ProposedChange, 'title' | 'metadata'>,
  ): Promise<Member> {
    await make(member, (group) => toDescribeByService(group, wanted))
    return access.forService(member.userId, member.conversation.id)
  }

  const rename = (member: Member, title: string): Promise<Member> =>
    change(member, (group) => toRename(group, member.userId, title))

  /**
   * Writes the departure first. A crash after that leaves a user in the group who wanted to leave. In the other order, a crash, or an addition
   * that comes between the two, would let the others add the user again at once.
   */
  async function leave(member: Member): Promise<void> {
    const { userId, conversation } = member
    await departures.put({ userId, groupId: conversation.id, leftAtMs: clock.now() })
    await make(member, (group) => toLeave(group, member.userId))
  }

  /** A change that is not needed takes nothing of the quota, and neither do further attempts at the same change. */
  async function change(member: Member, propose: Propose): Promise<Member> {
    let isPaid = false
    const isIn = await make(member, async (group) => {
      const proposed = await propose(group)
      if (proposed && !isPaid) await quotas.takeChange(member.userId)
      isPaid ||= proposed !== undefined
      return proposed
    })
    // The member was removed before the change took effect. Being added again since does not make it take effect.
    if (!isIn) throw notFound()
    return requireOwn(member.userId, member.conversation.id)
  }

  /** Returns the member, who was in the group a moment ago. */
  async function requireOwn(userId: UserId, id: ConversationId): Promise<Member> {
    const [member] = await access.findListed(userId, [id])
    if (!member) throw notFound()
    return member
  }

  /** Returns false where the member was found to be out of the group after an attempt that did not take effect. */
  async function make(member: Member, propose: Propose): Promise<boolean> {
    const { id } = member.conversation
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const group = await read(id)
      if (!group || !(member.isService || group.membersById.has(member.userId))) {
        // An earlier attempt of this call may have removed the member and died before it raised the version.
        if (group) await access.raiseVersion(group)
        if (attempt > 0) return false
        throw notFound()
      }
      const proposed = await propose(group)
      // Likewise, the last change may not have been announced.
      if (!proposed) {
        await announceLast(group)
        return true
      }
      const { row } = await append<GroupChange>(member, {
        clientMessageId: randomId() as ClientMessageId,
        payload: payloadOf(textOf(proposed), isOf(proposed)),
        above: group.version,
        row: (entry) => ({ kind: 'group', ...entry, baseVersion: group.version, ...proposed }),
      })
      const { now } = await apply(row)
      if (now?.version === row.seq) {
        await announce(now, row)
        return true
      }
    }
    throw unavailable(new Error('Others kept changing the group.'))
  }

  /** Returns the group once it is decided whether this change takes effect. */
  async function decideChange(change: GroupChange): Promise<Group | undefined> {
    const copy = access.copyOf(change.conversationId)
    if (copy && copy.version >= change.seq) return copy
    if (copy && change.applied && copy.version === change.baseVersion) {
      const next = changed(copy, change)
      access.keep(next)
      return next
    }
    const key = `${change.conversationId} ${change.seq}`
    const decided = deciding.get(key) ?? applyAndAnnounce(change).finally(() => deciding.delete(key))
    deciding.set(key, decided)
    return decided
  }

  /** Applies a change and announces it if this call did so: its author may have died in the middle. */
  async function applyAndAnnounce(change: GroupChange): Promise<Group | undefined> {
    const { now, took } = await apply(change)
    if (!now || !took) return now
    if (change.baseVersion > 0) await announce(now, change)
    else await publishMemberships(change)
    return now
  }

  /** Lets the change take effect if it can. `now` is the group after that. `took`: this call did it. */
  async function apply(change: GroupChange): Promise<{ now: Group | undefined; took: boolean }> {
    const group = await read(change.conversationId)
    if (!group && change.baseVersion === 0) return { now: await begin(change), took: true }
    if (group?.version !== change.baseVersion) return { now: group, took: false }
    const now = changed(group, change)
    await index(change)
    if (!(await conversations.replace(now, group.version))) {
      return { now: await read(change.conversationId), took: false }
    }
    access.keep(now)
    await inBatches(change.removed, async (userId) => {
      // By this row, whoever erases or exports the user finds what they have said here.
      await boundaries.note({ userId, conversationId: now.id })
      await memberships.remove(userId, now.id, change.seq)
    })
    return { now, took: true }
  }

  /** Does what is left of a creation. Its first entry is in the log, so it took effect, whether its author is still at it or has died. */
  async function begin(first: GroupChange): Promise<Group | undefined> {
    await index(first)
    await conversations.create(changed(undefined, first))
    await versions.raise(first.conversationId, first.seq)
    return read(first.conversationId)
  }

  async function index({ conversationId, added, removed, seq }: GroupChange): Promise<void> {
    const concerned = [...added, ...removed]
    if (concerned.length > 0) await indexStamps.replace(concerned)
    await inBatches(added, (userId) => memberships.add(userId, { conversationId, joinedSeq: seq }))
  }

  /** Raises the version first: requests that come after the event must not be checked against an old copy. */
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

  return {
    create,
    updateMembers,
    rename,
    leave,
    decideChange,
    createByService,
    updateByService,
    describeByService,
  }
}

/** Returns the same text for every attempt of one call. */
const textOf = ({ added, removed, roles, title, metadata }: ProposedChange): string =>
  JSON.stringify([[...added].sort(), removed, roles, title, ...(metadata === undefined ? [] : [metadata])])

/** People who refuse to be added are left out of the row; at a retry they may be others. So a row may have fewer people than asked for. */
const isOf =
  (proposed: ProposedChange) =>
  (row: LogRow): boolean =>
    row.kind === 'group' &&
    row.added.every((userId) => proposed.added.includes(userId)) &&
    textOf({ ...row, added: [] }) === textOf({ ...proposed, added: [] })

async function inBatches<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < all.length; i += rowsAtATime) await Promise.all(all.slice(i, i + rowsAtATime).map(work))
}
