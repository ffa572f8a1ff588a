import type { GroupChange, LogEntry } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import { isGroupId } from '../../protocol/ids.ts'
import { isMessage } from '../log/log.ts'
import { eventsOfEntry, type FeedEvent, type Place } from './feed-events.ts'

/** The row of a direct chat, which says who is in it, is written just after its first message. It never comes if the sender has died in between. */
const rowPausesMs = [20, 50, 100, 200, 400]

type Needs = Pick<Ports, 'conversations' | 'clock'> & {
  /** Decides a change of a group, and returns whether it took effect. */
  tookEffect: (change: GroupChange) => Promise<boolean>
}

export type EntryEvents = ReturnType<typeof createEntryEvents>

/** Returns the events of an entry of a log. `isFirst`: no entry is below it. */
export function createEntryEvents({ conversations, clock, tookEffect }: Needs) {
  return async function eventsOf(entry: LogEntry, place: Place, isFirst: boolean): Promise<FeedEvent[]> {
    if (entry.kind === 'group' && !(await tookEffect(entry))) return []
    const beginsChat = isFirst && isMessage(entry) && !isGroupId(entry.conversationId)
    return eventsOfEntry(entry, place, beginsChat ? await membersOf(entry) : undefined)
  }

  async function membersOf({ conversationId, senderId }: LogEntry): Promise<readonly string[]> {
    for (const pauseMs of rowPausesMs) {
      const [conversation] = await conversations.getMany([conversationId])
      if (conversation) return conversation.members
      await clock.sleep(pauseMs)
    }
    return [senderId]
  }
}
