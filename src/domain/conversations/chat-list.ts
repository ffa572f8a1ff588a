import type { Settings } from '../../ports/conversations.ts'
import type { Ports } from '../../ports/ports.ts'
import type { LastActivity } from '../../ports/soft-state.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import type { Log } from '../log/log.ts'
import type { Access, Member } from './access.ts'
import type { Chats, Tail } from './chats.ts'
import type { SettingsOf } from './settings.ts'

// Somebody's chats, latest activity first: one query for the memberships, one round trip for when something was last said in each,
// and only what is shown is looked into. The order is soft: where Redis forgot, the log's last message tells, and where a chat
// that is shown turns out to have gone on, Redis is told. It decides where a chat stands, never whether it is there.
//
// A user may be in thousands of groups because others added them. So what Redis forgot is read a few chats at a time, and Redis is told
// after each step: a request that fails in the middle lets the next one get further.

/** A place in the list: the latest first, of the same moment the lower id. */
export type Place = { atMs: number; id: ConversationId }
/** A chat of the list that nobody has looked into yet. */
export type Listed = { place: Place; activity: LastActivity; settings: Settings }
/** Few enough that each of the queries is answered in time, also on a busy node. */
const rebuiltAtATime = 50

type Chat = Listed & { member: Member; tail: Tail }

type Needs = Pick<Ports, 'memberships' | 'activity' | 'messages'> & {
  access: Access
  log: Log
  chats: Chats
  settings: SettingsOf
}

export function createChatList({ memberships, activity, messages, access, log, chats, settings }: Needs) {
  /** All of them. */
  async function order(userId: UserId): Promise<Listed[]> {
    const own = await memberships.ofUser(userId)
    const ids = own.map(({ conversationId }) => conversationId)
    const known = ids.length > 0 ? await activity.of(ids) : []
    const rebuilt = await rebuild(
      userId,
      ids.filter((_, i) => !known[i]),
    )
    return own
      .flatMap((membership, i) => {
        const { conversationId: id } = membership
        const last = known[i] ?? rebuilt.get(id)
        return last ? [{ place: { atMs: last.atMs, id }, activity: last, settings: settings.inForce(membership) }] : []
      })
      .sort((one, other) => (comesAfter(one.place, other.place) ? 1 : -1))
  }

  /** Of what Redis forgot; without those that have not begun. */
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
   * Of groups in which nothing was said or changed since they were made, which is what somebody is put into by the hundreds: one batch
   * for all of them. Should the second cell be a hole, the group stands too low until it is shown, as where Redis is behind.
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
   * A direct chat begins with its first message; earlier versions may have left an empty one. A group is there from
   * its first entry on, whatever that is.
   */
  async function lastActivity({ conversation }: Member): Promise<LastActivity | undefined> {
    const message = await log.lastMessage(conversation.id)
    if (!message && conversation.kind === 'DIRECT') return undefined
    const entry = message ?? (await log.firstEntry(conversation.id))
    return { seq: entry?.seq ?? 0, atMs: entry?.sentAtMs ?? 0 }
  }

  /** The first `count` of these, looked into, and whether there are more. What is not the user's to see is passed over. */
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
        some.map(({ place }) => place.id),
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

  /** Only upward: a chat moved down behind a reader's back would be shown twice in one walk. */
  async function catchUp(opened: readonly Chat[]): Promise<void> {
    const ahead = opened.flatMap(({ activity: { seq, atMs }, tail: { lastMessage } }) =>
      lastMessage && lastMessage.seq > seq && lastMessage.sentAtMs > atMs
        ? [{ conversationId: lastMessage.conversationId, seq: lastMessage.seq, atMs: lastMessage.sentAtMs }]
        : [],
    )
    if (ahead.length > 0) await activity.seed(ahead)
  }

  return { order, open }
}

/** Whether this place is further down the list than the other. */
export const comesAfter = (place: Place, other: Place): boolean =>
  place.atMs < other.atMs || (place.atMs === other.atMs && place.id > other.id)
