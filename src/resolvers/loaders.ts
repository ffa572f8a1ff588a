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

export type Loaders = ReturnType<typeof createLoaders>

/** Batches what the fields of one operation ask for: a page of 50 costs the same few calls as a page of one. */
export function createLoaders(domain: Domain, viewerId: UserId | undefined, readTicks?: ReadTicks) {
  const byConversation = { cacheKeyFn: ({ conversation }: Member) => conversation.id }

  const profiles = new DataLoader<UserId, Profile>(domain.people.profilesOf)

  const presences = new DataLoader<UserId, Seen | undefined>(async (ids) =>
    viewerId ? domain.presenceOf(viewerId, ids) : ids.map(() => undefined),
  )

  /** The viewer's place in a conversation, checked. */
  const members = new DataLoader<ConversationId, Member | undefined>(async (ids) =>
    viewerId ? domain.access.find(viewerId, ids) : ids.map(() => undefined),
  )

  const tails = new DataLoader<Member, Tail, ConversationId>((asked) => domain.chats.tails(asked), byConversation)

  const settings = new DataLoader<Member, Settings, ConversationId>(domain.settings.of, byConversation)

  const ticks = new DataLoader<Member, Ticks[], ConversationId>(domain.ticksOf, byConversation)

  /** For the tick of a message; in a stream they may be a moment old. What a conversation shows is always as it is now. */
  const messageTicks = readTicks ? new DataLoader<Member, Ticks[], ConversationId>(readTicks, byConversation) : ticks

  const unreadCounts = new DataLoader<Member, number, ConversationId>(async (asked) => {
    const [allTicks, last] = await Promise.all([
      Promise.all(asked.map((member) => ticks.load(member))),
      Promise.all(asked.map((member) => tails.load(member))),
    ])
    return domain.chats.unreadCounts(
      asked.map((member, i) => {
        const own = allTicks[i]?.find((each) => each.userId === member.userId) ?? noBoundaries
        return { member, readSeq: Math.max(own.lastReadSeq, member.joinedSeq), lastSeq: last[i]?.lastMessage?.seq ?? 0 }
      }),
    )
  }, byConversation)

  /** By address, of conversations the viewer is in. */
  const messages = new DataLoader<MessageAddress, Message | undefined, string>(domain.history.messages, {
    cacheKeyFn: messageNodeId,
  })

  return { profiles, presences, members, tails, settings, messages, ticks, messageTicks, unreadCounts }
}
