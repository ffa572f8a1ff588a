import DataLoader from 'dataloader'
import type { Member } from '../domain/access.ts'
import type { Tail } from '../domain/chats.ts'
import type { Domain } from '../domain/domain.ts'
import type { Settings } from '../ports/conversations.ts'
import type { Message } from '../ports/log.ts'
import type { Profile } from '../ports/people.ts'
import type { Seen } from '../ports/soft-state.ts'
import { type ConversationId, type MessageAddress, messageNodeId, type UserId } from '../protocol/ids.ts'
import { noBoundaries, type Ticks } from '../protocol/ticks.ts'
import type { ReadTicks } from './recent-ticks.ts'

const byConversation = { cacheKeyFn: ({ conversation }: Member) => conversation.id }
type OfMembers<T> = DataLoader<Member, T, ConversationId>

/**
 * Batches what the fields of one operation ask for: a page of 50 costs the same few calls as a page of one. Each loader is made when
 * it is first asked for: most operations need one or none.
 */
export class Loaders {
  readonly #domain: Domain
  readonly #viewerId: UserId | undefined
  readonly #readTicks: ReadTicks | undefined
  #profiles: DataLoader<UserId, Profile> | undefined
  #presences: DataLoader<UserId, Seen | undefined> | undefined
  #members: DataLoader<ConversationId, Member | undefined> | undefined
  #tails: OfMembers<Tail> | undefined
  #settings: OfMembers<Settings> | undefined
  #ticks: OfMembers<Ticks[]> | undefined
  #messageTicks: OfMembers<Ticks[]> | undefined
  #unreadCounts: OfMembers<number> | undefined
  #messages: DataLoader<MessageAddress, Message | undefined, string> | undefined

  constructor(domain: Domain, viewerId: UserId | undefined, readTicks: ReadTicks | undefined) {
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

  get tails() {
    this.#tails ??= new DataLoader((asked) => this.#domain.chats.tails(asked), byConversation)
    return this.#tails
  }

  get settings() {
    this.#settings ??= new DataLoader(this.#domain.settings.of, byConversation)
    return this.#settings
  }

  get ticks() {
    this.#ticks ??= new DataLoader(this.#domain.ticksOf, byConversation)
    return this.#ticks
  }

  /** For the tick of a message; in a stream they may be a moment old. What a conversation shows is always as it is now. */
  get messageTicks() {
    if (!this.#readTicks) return this.ticks
    this.#messageTicks ??= new DataLoader(this.#readTicks, byConversation)
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
