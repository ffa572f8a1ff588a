import type { ChatEvent, EventListener, EventSubscription } from '../ports/events.ts'
import type { Ports } from '../ports/ports.ts'
import { type ConversationId, isGroupId, type UserId } from '../protocol/ids.ts'
import type { Access, Member } from './access.ts'

// All that concerns a user: their own channel, and one for each group they are in.
//
// The own channel stands first. Then the index is read and the groups are joined: whoever is added after that is told on the own
// channel, and the news is handed on only when the group's channel stands, so that whoever then reads its log misses nothing.

export type Hearing = {
  /** Looks up what the user is in now, and listens to that. Every conversation, checked. */
  refresh(): Promise<Member[]>
  /** Listens to this group, if that is not so already. */
  join(id: ConversationId): Promise<void>
  /** No longer in this group. */
  part(id: ConversationId): Promise<void>
  /** Resolves when everything published to the user's own channel before this call was handed over. */
  flush(): Promise<void>
  close(): Promise<void>
}

type Needs = Pick<Ports, 'events'> & { access: Access }

export type Listen = ReturnType<typeof createListen>

export function createListen({ events, access }: Needs) {
  /** `only`: to hear of this conversation; of others one may hear, too. */
  return async function listen(userId: UserId, listener: EventListener, only?: Member): Promise<Hearing> {
    const groups = new Map<ConversationId, Promise<EventSubscription>>()
    /** Joined by the news, perhaps after the index was read. */
    const joinedSince = new Set<ConversationId>()
    let closed = false
    const own = await events.subscribe(userId, { event: hearOwn, gap: listener.gap })

    function hearOwn(event: ChatEvent): void {
      if (event.type === 'seat' && event.seat.joined) joinThenHear(event, event.seat.conversationId)
      else listener.event(event)
    }

    function joinThenHear(event: ChatEvent, id: ConversationId): void {
      if (only && id !== only.conversation.id) return
      joinedSince.add(id)
      // What cannot be heard now is looked for later, like anything that was lost.
      join(id).then(
        () => listener.event(event),
        () => listener.gap(),
      )
    }

    async function join(id: ConversationId): Promise<void> {
      if (closed) return
      const subscription = groups.get(id) ?? events.subscribeGroup(id, listener)
      groups.set(id, subscription)
      subscription.catch(() => groups.get(id) === subscription && groups.delete(id))
      await subscription
    }

    async function part(id: ConversationId): Promise<void> {
      const subscription = groups.get(id)
      groups.delete(id)
      await subscription?.then(({ close }) => close()).catch(() => undefined)
    }

    async function refresh(): Promise<Member[]> {
      if (only) {
        if (isGroupId(only.conversation.id)) await join(only.conversation.id)
        return [only]
      }
      joinedSince.clear()
      const members = await access.all(userId)
      const ids = members.map(({ conversation }) => conversation.id).filter(isGroupId)
      await Promise.all([...groups.keys()].filter((id) => !ids.includes(id) && !joinedSince.has(id)).map(part))
      await Promise.all(ids.map(join))
      return members
    }

    return {
      refresh,
      join,
      part,
      flush: own.flush,
      async close() {
        closed = true
        await Promise.all([own.close(), ...[...groups.keys()].map(part)])
      },
    }
  }
}
