import { LRUCache } from 'lru-cache'
import type { Message, Reaction } from '../ports/log.ts'

// Changes of one message are applied one after the other, but not always in the order of the log; and an event brings the message as it
// was when its change was applied. So the event of a later change may know nothing of an earlier one that was shown already:
//
//   #10 deletes, #11 edits; #11 is applied first. The event of #10 brings it deleted, that of #11 brings it edited and there.
//
// A change only ever adds to a message, so two states of it can be joined to one that shows what either does.

/** Events of one message that cross are moments apart. */
const rememberedMax = 1000

export type Latest = ReturnType<typeof createLatest>

/** The message as this node knows it: never less than it was given before, as long as it remembers. */
export function createLatest() {
  const states = new LRUCache<string, Message>({ max: rememberedMax })

  return function latest(message: Message): Message {
    const key = `${message.conversationId} ${message.seq}`
    const known = states.get(key)
    const now = known ? joined(known, message) : message
    if (now !== known) states.set(key, now)
    return now
  }
}

/** One of the two, where that shows everything. */
function joined(known: Message, other: Message): Message {
  if (known.deletedAtMs !== undefined) return known
  if (other.deletedAtMs !== undefined) return other
  const [newer, older] = editSeq(other) > editSeq(known) ? [other, known] : [known, other]
  const reactions = joinedReactions(newer.reactions ?? [], older.reactions ?? [])
  return reactions ? { ...newer, reactions } : newer
}

const editSeq = ({ edited }: Message): number => edited?.seq ?? 0

/** By seq; undefined where the others have nothing that is not there. */
function joinedReactions(own: readonly Reaction[], others: readonly Reaction[]): Reaction[] | undefined {
  const all = new Map(own.map((each) => [keyOf(each), each]))
  const news = others.filter((each) => each.seq > (all.get(keyOf(each))?.seq ?? 0))
  if (news.length === 0) return undefined
  for (const each of news) all.set(keyOf(each), each)
  return [...all.values()].sort((one, other) => one.seq - other.seq)
}

const keyOf = ({ emoji, userId }: Reaction): string => `${emoji} ${userId}`
