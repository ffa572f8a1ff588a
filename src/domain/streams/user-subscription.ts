import type { ChatEvent, EventListener, EventSubscription } from '../../ports/events.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ConversationId, isGroupId, type UserId } from '../../protocol/ids.ts'
import { SmallMap } from '../../shared/small-map.ts'
import type { Access, Member } from '../conversations/access.ts'

// Subscribes to all that concerns a user: their own channel, and one channel for each group they are in.
//
// The subscription to the own channel comes first. Then the index is read and the groups' channels are subscribed to. A user who is added to
// a group after that gets a membership event on their own channel, and it is passed on only once the group's channel is subscribed to, so
// that a stream that then reads the group's log misses nothing.

type Needs = Pick<Ports, 'events'> & { access: Access }

const joinedAtATime = 100

export type SubscribeUser = ReturnType<typeof createSubscribeUser>

export function createSubscribeUser(needs: Needs) {
  /** With `only`, just the events of this conversation are needed; the listener may get others, too. */
  return async function subscribeUser(
    userId: UserId,
    listener: EventListener,
    only?: Member,
  ): Promise<UserSubscription> {
    const subscription = new UserSubscription(needs, userId, listener, only)
    await subscription.open()
    return subscription
  }
}

/** There is one for each open stream. It is itself the listener on the own channel. */
export class UserSubscription implements EventListener {
  readonly #needs: Needs
  readonly #userId: UserId
  readonly #listener: EventListener
  readonly #only: Member | undefined
  #own: EventSubscription | undefined
  #groups: SmallMap<ConversationId, Promise<EventSubscription>> | undefined
  /** Groups that were joined because of an event, perhaps after the index was read. */
  #joinedSince: Set<ConversationId> | undefined
  #closed = false

  constructor(needs: Needs, userId: UserId, listener: EventListener, only: Member | undefined) {
    this.#needs = needs
    this.#userId = userId
    this.#listener = listener
    this.#only = only
  }

  async open(): Promise<void> {
    this.#own = await this.#needs.events.subscribe(this.#userId, this)
  }

  event(event: ChatEvent): void {
    if (event.type === 'membership' && event.membership.joined)
      this.#joinThenForward(event, event.membership.conversationId)
    else this.#listener.event(event)
  }

  gap(): void {
    this.#listener.gap()
  }

  /**
   * Looks up what the user is in now, by `look` where that is given, and subscribes to all of it. Returns every conversation, checked. Where
   * the stream is for only one and the user is no longer in it, this throws NOT_FOUND, which ends the stream. The event that would have said
   * so may be lost, so every stream asks this when it begins, at each periodic resync, and when events were lost.
   */
  async refresh(look = () => this.#needs.access.all(this.#userId)): Promise<Member[]> {
    if (this.#only) return [await this.#stillIn(this.#only)]
    this.#joinedSince = undefined
    const members = await look()
    const ids = new Set(members.map(({ conversation }) => conversation.id).filter(isGroupId))
    const left = this.#joined().filter((id) => !ids.has(id) && !this.#joinedSince?.has(id))
    await Promise.all(left.map((id) => this.leaveGroup(id)))
    await this.#joinAll([...ids])
    return members
  }

  /** Subscribes to the channel of this group, unless it is subscribed to already. */
  async joinGroup(id: ConversationId): Promise<void> {
    if (this.#closed) return
    this.#groups ??= new SmallMap()
    await (this.#groups.get(id) ?? this.#subscribe(id, this.#groups))
  }

  /** Subscribes to a hundred at a time: Redis confirms each within a deadline. If one of them fails, those that were confirmed stay. */
  async #joinAll(ids: readonly ConversationId[]): Promise<void> {
    for (let i = 0; i < ids.length; i += joinedAtATime) {
      await Promise.all(ids.slice(i, i + joinedAtATime).map((id) => this.joinGroup(id)))
    }
  }

  /** Called when the user is no longer in this group. */
  async leaveGroup(id: ConversationId): Promise<void> {
    const subscription = this.#groups?.get(id)
    this.#groups?.delete(id)
    await subscription?.then((opened) => opened.close()).catch(() => undefined)
  }

  /** Resolves when everything published to the user's own channel before this call was handed over. */
  async flush(): Promise<void> {
    await this.#own?.flush()
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#own?.close(), ...this.#joined().map((id) => this.leaveGroup(id))])
  }

  /** The members of a direct chat never change. */
  async #stillIn(only: Member): Promise<Member> {
    const { id } = only.conversation
    if (!isGroupId(id)) return only
    const now = await this.#needs.access.member(this.#userId, id)
    await this.joinGroup(id)
    return now
  }

  #joined(): ConversationId[] {
    return [...(this.#groups ?? [])].map(([id]) => id)
  }

  #subscribe(
    id: ConversationId,
    groups: SmallMap<ConversationId, Promise<EventSubscription>>,
  ): Promise<EventSubscription> {
    const subscription = this.#needs.events.subscribeGroup(id, this.#listener)
    groups.set(id, subscription)
    subscription.catch(() => groups.get(id) === subscription && groups.delete(id))
    return subscription
  }

  #joinThenForward(event: ChatEvent, id: ConversationId): void {
    if (this.#only && id !== this.#only.conversation.id) return
    this.#joinedSince ??= new Set()
    this.#joinedSince.add(id)
    // If the subscription fails, the stream reads the log later, as it does whenever events were lost.
    this.joinGroup(id).then(
      () => this.#listener.event(event),
      () => this.#listener.gap(),
    )
  }
}
