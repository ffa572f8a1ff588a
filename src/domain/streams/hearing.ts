import type { ChatEvent, EventListener, EventSubscription } from '../../ports/events.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ConversationId, isGroupId, type UserId } from '../../protocol/ids.ts'
import { SmallMap } from '../../shared/small-map.ts'
import type { Access, Member } from '../conversations/access.ts'

// All that concerns a user: their own channel, and one for each group they are in.
//
// The own channel stands first. Then the index is read and the groups are joined: whoever is added after that is told on the own
// channel, and the news is handed on only when the group's channel stands, so that whoever then reads its log misses nothing.

type Needs = Pick<Ports, 'events'> & { access: Access }

const joinedAtATime = 100

export type Listen = ReturnType<typeof createListen>

export function createListen(needs: Needs) {
  /** `only`: to hear of this conversation; of others one may hear, too. */
  return async function listen(userId: UserId, listener: EventListener, only?: Member): Promise<Hearing> {
    const hearing = new Hearing(needs, userId, listener, only)
    await hearing.open()
    return hearing
  }
}

/** One for each open stream. It is itself the listener to the own channel. */
export class Hearing implements EventListener {
  readonly #needs: Needs
  readonly #userId: UserId
  readonly #listener: EventListener
  readonly #only: Member | undefined
  #own: EventSubscription | undefined
  #groups: SmallMap<ConversationId, Promise<EventSubscription>> | undefined
  /** Joined by the news, perhaps after the index was read. */
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
      this.#joinThenHear(event, event.membership.conversationId)
    else this.#listener.event(event)
  }

  gap(): void {
    this.#listener.gap()
  }

  /**
   * Looks up what the user is in now, unless somebody else does, and listens to that. Every conversation, checked; where it is only one
   * and the user is no longer in it, NOT_FOUND, which ends the stream. The event that would have said so may be lost, so every stream
   * asks this when it begins, at each beat, and when events were lost.
   */
  async refresh(look = () => this.#needs.access.all(this.#userId)): Promise<Member[]> {
    if (this.#only) return [await this.#stillIn(this.#only)]
    this.#joinedSince = undefined
    const members = await look()
    const ids = new Set(members.map(({ conversation }) => conversation.id).filter(isGroupId))
    const left = this.#joined().filter((id) => !ids.has(id) && !this.#joinedSince?.has(id))
    await Promise.all(left.map((id) => this.part(id)))
    await this.#joinAll([...ids])
    return members
  }

  /** Listens to this group, if that is not so already. */
  async join(id: ConversationId): Promise<void> {
    if (this.#closed) return
    this.#groups ??= new SmallMap()
    await (this.#groups.get(id) ?? this.#subscribe(id, this.#groups))
  }

  /** A hundred at a time: each is confirmed by Redis within a deadline. Those that stand stay, if one of them fails. */
  async #joinAll(ids: readonly ConversationId[]): Promise<void> {
    for (let i = 0; i < ids.length; i += joinedAtATime) {
      await Promise.all(ids.slice(i, i + joinedAtATime).map((id) => this.join(id)))
    }
  }

  /** No longer in this group. */
  async part(id: ConversationId): Promise<void> {
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
    await Promise.all([this.#own?.close(), ...this.#joined().map((id) => this.part(id))])
  }

  /** The members of a direct chat never change. */
  async #stillIn(only: Member): Promise<Member> {
    const { id } = only.conversation
    if (!isGroupId(id)) return only
    const now = await this.#needs.access.member(this.#userId, id)
    await this.join(id)
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

  #joinThenHear(event: ChatEvent, id: ConversationId): void {
    if (this.#only && id !== this.#only.conversation.id) return
    this.#joinedSince ??= new Set()
    this.#joinedSince.add(id)
    // What cannot be heard now is looked for later, like anything that was lost.
    this.join(id).then(
      () => this.#listener.event(event),
      () => this.#listener.gap(),
    )
  }
}
