import type { Settings } from '../../ports/conversations.ts'
import type { LogEntry } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import type { LastActivity } from '../../ports/soft-state.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import type { Log } from '../log/log.ts'
import { type Access, floorSeqOf, type Member } from './access.ts'
import type { Chats, Tail } from './chats.ts'
import type { SettingsOf } from './settings.ts'

// Lists a user's chats, latest activity first: one query for the memberships, one round trip for the last activity of each, and only the chats
// that are shown are looked into. The order is soft state: where Redis forgot, the log's last message tells, and where a chat that is shown
// turns out to have gone on, Redis is updated. It decides where a chat stands, never whether it is in the list.
//
// A user may be in thousands of groups because others added them. So what Redis forgot is read a few chats at a time, and Redis is updated
// after each step: a request that fails in the middle lets the next one get further.

/** The key says where a chat stands in the list: the latest comes first, and of the same moment the lower id. */
export type ChatSortKey = { atMs: number; id: ConversationId }
/** A chat of the list that was not looked into yet. */
export type Listed = { sortKey: ChatSortKey; activity: LastActivity; settings: Settings }
/** This is few enough that each of the queries is answered in time, also on a busy node. */
const rebuiltAtATime = 50

type Chat = Listed & { member: Member; tail: Tail }

type Needs = Pick<Ports, 'memberships' | 'activity' | 'messages'> & {
  access: Access
  log: Log
  chats: Chats
  settings: SettingsOf
}

export function createChatList({ memberships, activity, messages, access, log, chats, settings }: Needs) {
  /** Returns all chats in the order of the list. */
  async function order(userId: UserId): Promise<Listed[]> {
    const own = await memberships.ofUser(userId)
    const lasts = await activities(
      userId,
      own.map(({ conversationId }) => conversationId),
    )
    return own
      .flatMap((membership, i) => {
        const { conversationId: id } = membership
        const last = lasts[i]
        return last
          ? [{ sortKey: { atMs: last.atMs, id }, activity: last, settings: settings.inForce(membership) }]
          : []
      })
      .sort((one, other) => (comesAfter(one.sortKey, other.sortKey) ? 1 : -1))
  }

  /** Returns the activities of the user's own conversations, in the order asked for. */
  async function activities(userId: UserId, ids: readonly ConversationId[]): Promise<(LastActivity | undefined)[]> {
    const known = ids.length > 0 ? await activity.of(ids) : []
    const rebuilt = await rebuild(
      userId,
      ids.filter((_, i) => !known[i]),
    )
    return ids.map((id, i) => known[i] ?? rebuilt.get(id))
  }

  /** Returns when each came into the group: the time of the entry that added them. */
  async function joinedAtMs(members: readonly Member[]): Promise<number[]> {
    const rows = await messages.getMany(
      members.map(({ conversation, joinedSeq }) => ({ conversationId: conversation.id, seq: joinedSeq })),
    )
    const times = new Map(rows.map((row) => [row.conversationId, row.kind === 'void' ? 0 : row.sentAtMs]))
    return members.map(({ conversation }) => times.get(conversation.id) ?? 0)
  }

  /** Returns the activities that Redis forgot, without chats that have not begun. */
  async function rebuild(userId: UserId, ids: readonly ConversationId[]): Promise<Map<ConversationId, LastActivity>> {
    const found = new Map<ConversationId, LastActivity>()
    for (let i = 0; i < ids.length; i += rebuiltAtATime) {
      await rebuildSome(userId, ids.slice(i, i + rebuiltAtATime), found)
    }
    return found
  }

  async function rebuildSome(
    userId: UserId,
    ids: readonly ConversationId[],
    found: Map<ConversationId, LastActivity>,
  ): Promise<void> {
    const members = (await access.findListed(userId, ids)).filter((member) => member !== undefined)
    const silent = await beginningsOfSilent(members)
    const lasts = await Promise.all(members.map((each) => silent.get(each.conversation.id) ?? lastActivity(each)))
    const some = members.flatMap(({ conversation: { id } }, i) => (lasts[i] ? [{ id, last: lasts[i] }] : []))
    for (const { id, last } of some) found.set(id, last)
    const worthKeeping = some.filter(({ last }) => last.seq > 0)
    if (worthKeeping.length > 0)
      await activity.seed(worthKeeping.map(({ id, last }) => ({ conversationId: id, ...last })))
  }

  /**
   * Returns the beginnings of groups in which nothing was said or changed since they were created, with one batch for all of them: a user may
   * be added to hundreds of such groups. If the second cell is a hole, the group stands too low until it is shown, as where Redis is behind.
   */
  async function beginningsOfSilent(members: readonly Member[]): Promise<Map<ConversationId, LastActivity>> {
    const groups = members.flatMap(({ conversation }) =>
      conversation.kind === 'GROUP' && conversation.version === 1 ? [conversation.id] : [],
    )
    const cells = groups.flatMap((conversationId) => [1, 2].map((seq) => ({ conversationId, seq })))
    const rows = cells.length > 0 ? await messages.getMany(cells) : []
    const goneOn = new Set(rows.filter(({ seq }) => seq === 2).map(({ conversationId }) => conversationId))
    return new Map(
      rows.flatMap((row) =>
        row.kind === 'group' && row.seq === 1 && !goneOn.has(row.conversationId)
          ? [[row.conversationId, { seq: row.seq, atMs: row.sentAtMs }] as const]
          : [],
      ),
    )
  }

  /**
   * Reads the last activity from the log. A direct chat begins with its first message; earlier versions may have left an empty one. A group
   * begins with its first entry of any kind.
   */
  async function lastActivity({ conversation }: Member): Promise<LastActivity | undefined> {
    const floor = floorSeqOf(conversation)
    const message = await log.lastMessage(conversation.id, undefined, floor)
    // Where all messages were too old to be kept, the last that happened stands for them.
    if (!message && floor > 0) return activityOf(await log.lastEntry(conversation.id))
    if (!message && conversation.kind === 'DIRECT') return undefined
    return activityOf(message ?? (await log.firstEntry(conversation.id)))
  }

  function activityOf(entry: LogEntry | undefined): LastActivity {
    return { seq: entry?.seq ?? 0, atMs: entry?.sentAtMs ?? 0 }
  }

  /** Looks into the first `count` of these and returns whether there are more. Chats that the user may not see are skipped. */
  async function open(
    userId: UserId,
    listed: readonly Listed[],
    count: number,
  ): Promise<{ chats: Chat[]; more: boolean }> {
    const seen: (Listed & { member: Member })[] = []
    let next = 0
    while (seen.length < count && next < listed.length) {
      const some = listed.slice(next, next + count - seen.length)
      const members = await access.findListed(
        userId,
        some.map(({ sortKey }) => sortKey.id),
      )
      seen.push(...some.flatMap((each, i) => (members[i] ? [{ ...each, member: members[i] }] : [])))
      next += some.length
    }
    const tails = await chats.tails(
      seen.map(({ member }) => member),
      seen.map((each) => each.activity),
    )
    const opened = seen.flatMap((each, i) => (tails[i] ? [{ ...each, tail: tails[i] }] : []))
    await catchUp(opened)
    return { chats: opened, more: next < listed.length }
  }

  /** Moves chats only up: one that moved down between two pages would be shown on both. */
  async function catchUp(opened: readonly Chat[]): Promise<void> {
    const ahead = opened.flatMap(({ activity: { seq, atMs }, tail: { lastMessage } }) =>
      lastMessage && lastMessage.seq > seq && lastMessage.sentAtMs > atMs
        ? [{ conversationId: lastMessage.conversationId, seq: lastMessage.seq, atMs: lastMessage.sentAtMs }]
        : [],
    )
    if (ahead.length > 0) await activity.seed(ahead)
  }

  return { order, open, activities, joinedAtMs }
}

/** Returns whether this key is further down the list than the other. */
export const comesAfter = (key: ChatSortKey, other: ChatSortKey): boolean =>
  key.atMs < other.atMs || (key.atMs === other.atMs && key.id > other.id)
