import DataLoader from 'dataloader'
import type { Member } from '../domain/access.ts'
import type { Domain } from '../domain/domain.ts'
import type { Message } from '../domain/ports.ts'
import type { ConversationId, UserId } from '../protocol/ids.ts'
import { noBoundaries, type Ticks } from '../protocol/ticks.ts'
import type { ReadTicks } from './recent-ticks.ts'

export type Loaders = ReturnType<typeof createLoaders>

/** Batches what the fields of one operation ask for: a page of 50 costs the same few calls as a page of one. */
export function createLoaders(domain: Domain, viewerId: UserId | undefined, readTicks: ReadTicks = domain.ticksOf) {
  const byConversation = { cacheKeyFn: ({ conversation }: Member) => conversation.id }

  const names = new DataLoader<UserId, string | undefined>(domain.people.namesOf)

  /** The viewer's place in a conversation, checked. */
  const members = new DataLoader<ConversationId, Member | undefined>(async (ids) =>
    viewerId ? domain.access.find(viewerId, ids) : ids.map(() => undefined),
  )

  const lastMessages = new DataLoader<Member, Message | undefined, ConversationId>(
    domain.chats.lastMessages,
    byConversation,
  )

  const ticks = new DataLoader<Member, Ticks[], ConversationId>(readTicks, byConversation)

  const unreadCounts = new DataLoader<Member, number, ConversationId>(async (asked) => {
    const [allTicks, last] = await Promise.all([
      Promise.all(asked.map((member) => ticks.load(member))),
      Promise.all(asked.map((member) => lastMessages.load(member))),
    ])
    return domain.chats.unreadCounts(
      asked.map((member, i) => {
        const own = allTicks[i]?.find((each) => each.userId === member.userId) ?? noBoundaries
        return { member, readSeq: own.lastReadSeq, lastSeq: last[i]?.seq ?? 0 }
      }),
    )
  }, byConversation)

  return { names, members, lastMessages, ticks, unreadCounts }
}
