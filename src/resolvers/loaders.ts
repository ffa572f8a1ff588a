import DataLoader from 'dataloader'
import type { Member } from '../domain/conversations/access.ts'
import type { Listed } from '../domain/conversations/chat-list.ts'
import type { Tail } from '../domain/conversations/chats.ts'
import type { Domain } from '../domain/domain.ts'
import type { Settings } from '../ports/conversations.ts'
import type { Message } from '../ports/log.ts'
import type { Profile } from '../ports/people.ts'
import type { Seen } from '../ports/soft-state.ts'
import { type ConversationId, type MessageAddress, messageNodeId, type UserId } from '../protocol/ids.ts'
import { noBoundaries, type Ticks } from '../protocol/ticks.ts'
import { charge, type Loading } from '../shared/load-budget.ts'
import type { ReadTicks } from './recent-ticks.ts'

const byConversation = { cacheKeyFn: ({ conversation }: Member) => conversation.id }
type OfMembers<T> = DataLoader<Member, T, ConversationId>

/**
 * Batches what the fields of one operation, or of one root field of a mutation, ask for: a page of 50 costs the same few calls as a page of one. Each loader is made when
 * it is first asked for: most operations need one or none.
 */
export class Loaders {
  readonly #domain: Domain
  readonly #viewerId: UserId | undefined
  readonly #readTicks: ReadTicks | undefined
  readonly #loading: Loading
  #profiles: DataLoader<UserId, Profile> | undefined
  #presences: DataLoader<UserId, Seen | undefined> | undefined
  #members: DataLoader<ConversationId, Member | undefined> | undefined
  #tails: OfMembers<Tail> | undefined
  #settings: OfMembers<Settings> | undefined
  #ticks: OfMembers<Ticks[]> | undefined
  #messageTicks: OfMembers<Ticks[]> | undefined
  #unreadCounts: OfMembers<number> | undefined
  #messages: DataLoader<MessageAddress, Message | undefined, string> | undefined
  #acquainted: DataLoader<UserId, boolean> | undefined
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

  /** The viewer's place in a conversation, checked. */
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
    this.#tails ??= new DataLoader((asked) => this.#domain.chats.tails(asked), byConversation)
    return this.#tails
  }

  get settings() {
    this.#settings ??= new DataLoader(this.#domain.settings.of, byConversation)
    return this.#settings
  }

  get ticks() {
    this.#ticks ??= new DataLoader((asked) => this.#readAllTicks(asked), byConversation)
    return this.#ticks
  }

  /** For the tick of a message; in a stream they may be a moment old. What a conversation shows is always as it is now. */
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

  /** By address, of conversations the viewer is in. */
  get messages() {
    this.#messages ??= new DataLoader(this.#domain.history.messages, { cacheKeyFn: messageNodeId })
    return this.#messages
  }

  /** Whether the viewer may see somebody. */
  get acquainted() {
    this.#acquainted ??= new DataLoader(async (ids) =>
      this.#viewerId ? this.#domain.access.areAcquainted(this.#viewerId, ids) : ids.map(() => false),
    )
    return this.#acquainted
  }

  /**
   * The viewer's chats in their order, looked up once for all lists of an operation. Every further list is charged for going through all of
   * them. The first is not: how many groups somebody is in is not only up to them, and they can always be shown the list.
   */
  async chatOrder(userId: UserId): Promise<readonly Listed[]> {
    const isFirst = this.#chatOrder === undefined
    this.#chatOrder ??= this.#domain.chatList.order(userId)
    const order = await this.#chatOrder
    if (!isFirst) charge(this.#loading, order.length)
    return order
  }

  /** A row for each member, whichever field needs them and however little of them it shows. Charged before they are read. */
  async #readAllTicks(asked: readonly Member[]): Promise<Ticks[][]> {
    this.#chargeMembers(asked)
    return this.#domain.ticksOf(asked)
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
