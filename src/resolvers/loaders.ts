import DataLoader from 'dataloader'
import type { Member } from '../domain/conversations/access.ts'
import type { Listed } from '../domain/conversations/chat-list.ts'
import type { Tail } from '../domain/conversations/chats.ts'
import type { MessageOrNotice } from '../domain/conversations/notices.ts'
import type { Domain } from '../domain/domain.ts'
import type { MessageRequest } from '../domain/log/history.ts'
import type { Settings } from '../ports/conversations.ts'
import type { Message } from '../ports/log.ts'
import type { Profile } from '../ports/people.ts'
import type { LastActivity, Seen } from '../ports/soft-state.ts'
import { type ConversationId, type MessageAddress, messageNodeId, type Seq, type UserId } from '../protocol/ids.ts'
import { type MemberPart, ticksNodeId } from '../protocol/member-node-ids.ts'
import { type MemberBoundaries, noBoundaries } from '../protocol/ticks.ts'
import { charge, type Loading } from '../shared/load-budget.ts'
import type { ReadTicks } from './messages/recent-ticks.ts'
import { ShownSeqs } from './shown-seqs.ts'

const byConversation = { cacheKeyFn: ({ conversation }: Member) => conversation.id }
type OfMembers<T> = DataLoader<Member, T, ConversationId>

/**
 * Batches what the fields of one operation, or of one root field of a mutation, ask for: a page of 50 costs the same few calls as a page
 * of one. Each loader is made when a field first needs it: most operations need one or none.
 */
export class Loaders {
  readonly #domain: Domain
  readonly #viewerId: UserId | undefined
  readonly #readTicks: ReadTicks | undefined
  readonly #loading: Loading
  #profiles: DataLoader<UserId, Profile> | undefined
  #presences: DataLoader<UserId, Seen | undefined> | undefined
  #members: DataLoader<ConversationId, Member | undefined> | undefined
  #shownSeqs: ShownSeqs | undefined
  #tails: OfMembers<Tail> | undefined
  #settings: OfMembers<Settings> | undefined
  #conversationMetadata: OfMembers<string | undefined> | undefined
  #ticks: OfMembers<MemberBoundaries[]> | undefined
  #messageTicks: OfMembers<MemberBoundaries[]> | undefined
  #unreadCounts: OfMembers<number> | undefined
  #messages: DataLoader<MessageAddress, Message | undefined, string> | undefined
  #ownMessages: DataLoader<MessageRequest, MessageOrNotice | undefined, string> | undefined
  #boundaries: DataLoader<MemberPart, MemberBoundaries, string> | undefined
  #acquainted: DataLoader<UserId, boolean> | undefined
  #blocked: DataLoader<UserId, boolean> | undefined
  #activities: OfMembers<LastActivity | undefined> | undefined
  #joinedAtMs: OfMembers<number> | undefined
  #unreadChats: Promise<number> | undefined
  #chatOrder: Promise<readonly Listed[]> | undefined

  constructor(domain: Domain, viewerId: UserId | undefined, readTicks: ReadTicks | undefined, loading: Loading) {
    this.#loading = loading
    this.#domain = domain
    this.#viewerId = viewerId
    this.#readTicks = readTicks
  }

  get profiles() {
    this.#profiles ??= new DataLoader(this.#domain.people.profilesOf)
    return this.#profiles
  }

  get presences() {
    this.#presences ??= new DataLoader(async (ids) =>
      this.#viewerId ? this.#domain.presenceOf(this.#viewerId, ids) : ids.map(() => undefined),
    )
    return this.#presences
  }

  /** Loads the viewer's membership in a conversation, which is the proof of access. */
  get members() {
    this.#members ??= new DataLoader(async (ids) =>
      this.#viewerId ? this.#domain.access.find(this.#viewerId, ids) : ids.map(() => undefined),
    )
    return this.#members
  }

  forgetMembers(): void {
    this.#members = undefined
  }

  get tails() {
    this.#tails ??= new DataLoader((asked) => this.#domain.chats.tails(asked), {
      ...byConversation,
      cacheMap: this.#seqs.tails,
    })
    return this.#tails
  }

  async lastSeq(member: Member): Promise<Seq> {
    return this.#seqs.lastSeq(member.conversation.id, await this.tails.load(member))
  }

  get settings() {
    this.#settings ??= new DataLoader(this.#domain.settings.of, byConversation)
    return this.#settings
  }

  get conversationMetadata() {
    this.#conversationMetadata ??= new DataLoader(
      (asked) => this.#domain.describe.metadataOfMany(asked.map(({ conversation }) => conversation)),
      byConversation,
    )
    return this.#conversationMetadata
  }

  get ticks() {
    this.#ticks ??= new DataLoader((asked) => this.#readAllTicks(asked), byConversation)
    return this.#ticks
  }

  /** Loads boundaries for the tick of a message; in a stream they may be a moment old. `ticks` are as they are now, within the log that is shown. */
  get messageTicks() {
    const read = this.#readTicks
    if (!read) return this.ticks
    this.#messageTicks ??= new DataLoader(async (asked) => {
      this.#chargeMembers(asked)
      return read(asked)
    }, byConversation)
    return this.#messageTicks
  }

  get unreadCounts() {
    this.#unreadCounts ??= new DataLoader((asked) => this.#countUnread(asked), byConversation)
    return this.#unreadCounts
  }

  /** Loads messages by address. The caller has checked that the viewer is in their conversation. */
  get messages() {
    this.#messages ??= new DataLoader(this.#domain.history.messages, { cacheKeyFn: messageNodeId })
    return this.#messages
  }

  /** Loads messages by seq, as far as the viewer may see them. */
  get ownMessages() {
    this.#ownMessages ??= new DataLoader(this.#domain.history.messagesOf, {
      cacheKeyFn: ({ member, seq }) => `${member.conversation.id} ${seq}`,
    })
    return this.#ownMessages
  }

  /** Loads the boundaries of single members, in conversations of the viewer. */
  get boundaries() {
    this.#boundaries ??= new DataLoader((asked) => this.#readTicksAt(asked), { cacheKeyFn: ticksNodeId })
    return this.#boundaries
  }

  /** Loads whether the viewer may see a user. */
  get acquainted() {
    this.#acquainted ??= new DataLoader(async (ids) =>
      this.#viewerId ? this.#domain.access.areAcquainted(this.#viewerId, ids) : ids.map(() => false),
    )
    return this.#acquainted
  }

  /** Loads whether the viewer has blocked a user. */
  get blocked() {
    const viewerId = this.#viewerId
    this.#blocked ??= new DataLoader(async (ids) =>
      viewerId ? this.#domain.haveBlocked(viewerId, ids) : ids.map(() => false),
    )
    return this.#blocked
  }

  /**
   * Loads the order of the viewer's chats once for all lists of an operation. Every further list is charged for going through all of them.
   * The first is free: other people add users to groups, and a user in many groups must still be able to see the list.
   */
  async chatOrder(userId: UserId): Promise<readonly Listed[]> {
    const isFirst = this.#chatOrder === undefined
    this.#chatOrder ??= this.#domain.chatList.order(userId)
    const order = await this.#chatOrder
    if (!isFirst) charge(this.#loading, order.length)
    return order
  }

  /** Loads when something was last said in each conversation. */
  get activities() {
    this.#activities ??= new DataLoader(async (asked) => {
      const ids = asked.map(({ conversation }) => conversation.id)
      return this.#viewerId ? this.#domain.chatList.activities(this.#viewerId, ids) : []
    }, byConversation)
    return this.#activities
  }

  get joinedAtMs() {
    this.#joinedAtMs ??= new DataLoader(this.#domain.chatList.joinedAtMs, byConversation)
    return this.#joinedAtMs
  }

  /** Counts once for all fields of an operation that ask for it. */
  unreadChats(count: () => Promise<number>): Promise<number> {
    this.#unreadChats ??= count()
    return this.#unreadChats
  }

  /** Reads a row for each member, even if the field shows little of them. The operation is charged before they are read. */
  async #readAllTicks(asked: readonly Member[]): Promise<MemberBoundaries[][]> {
    this.#chargeMembers(asked)
    const all = await this.#domain.boundariesOfMembers(asked)
    return Promise.all(all.map((each) => this.#seqs.withinLog(each)))
  }

  async #readTicksAt(asked: readonly MemberPart[]): Promise<MemberBoundaries[]> {
    const all = await this.#domain.boundariesAt(asked)
    return (await Promise.all(all.map((each) => this.#seqs.withinLog([each])))).flat()
  }

  get #seqs(): ShownSeqs {
    this.#shownSeqs ??= new ShownSeqs()
    return this.#shownSeqs
  }

  #chargeMembers(asked: readonly Member[]): void {
    for (const { conversation } of asked) charge(this.#loading, conversation.members.length)
  }

  async #countUnread(asked: readonly Member[]): Promise<number[]> {
    const [allTicks, last] = await Promise.all([
      Promise.all(asked.map((member) => this.ticks.load(member))),
      Promise.all(asked.map((member) => this.tails.load(member))),
    ])
    return this.#domain.chats.unreadCounts(
      asked.map((member, i) => {
        const own = allTicks[i]?.find((each) => each.userId === member.userId) ?? noBoundaries
        return { member, readSeq: Math.max(own.lastReadSeq, member.joinedSeq), lastSeq: last[i]?.lastMessage?.seq ?? 0 }
      }),
    )
  }
}
