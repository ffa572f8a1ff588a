import type { GroupChange, LogEntry } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ConversationId, isGroupId } from '../../protocol/ids.ts'
import { isMessage } from '../log/log.ts'
import { eventsOfEntry, type FeedEvent } from './feed-events.ts'

type Needs = Pick<Ports, 'conversations'> & {
  /** Decides a change of a group, and returns whether it took effect. */
  tookEffect: (change: GroupChange) => Promise<boolean>
}

export type EntryEvents = ReturnType<typeof createEntryEvents>

/** Returns the events of an entry of a log. `isFirst`: no entry is below it. */
export function createEntryEvents({ conversations, tookEffect }: Needs) {
  return async function eventsOf(
    entry: LogEntry,
    place: Pick<FeedEvent, 'partition' | 'position'>,
    isFirst: boolean,
  ): Promise<FeedEvent[]> {
    if (entry.kind === 'group' && !(await tookEffect(entry))) return []
    const beginsChat = isFirst && isMessage(entry) && !isGroupId(entry.conversationId)
    return eventsOfEntry(entry, place, beginsChat ? await membersOf(entry.conversationId) : undefined)
  }

  /** The row of a direct chat is written just after its first message. */
  async function membersOf(id: ConversationId): Promise<readonly string[]> {
    const [conversation] = await conversations.getMany([id])
    return conversation?.members ?? []
  }
}
