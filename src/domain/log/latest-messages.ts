import { LRUCache } from 'lru-cache'
import type { Message, Reaction } from '../../ports/log.ts'
import { floorOf, keptOf } from '../../protocol/alterations.ts'

// Changes of one message are applied one after the other, but not always in the order of the log; and an event brings the message as it
// was when its change was applied. So the event of a later change may know nothing of an earlier one that was shown already:
//
//   #10 deletes, #11 edits; #11 is applied first. The event of #10 brings it deleted, that of #11 brings it edited and there.
//
// A change only ever adds to a message, so two states of it can be joined to one that shows what either does.

/** This is enough, as events of one message that overtake each other are moments apart. */
const rememberedMax = 1000
/** The size is bounded too, as a message may have thousands of reactions. */
const rememberedMaxChars = 8 * 1024 * 1024

export type Latest = ReturnType<typeof createLatest>['latest']

/** Returns the message as this node knows it: as long as it is remembered, it never shows less than before. */
export function createLatest() {
  const states = new LRUCache<string, Message>({
    max: rememberedMax,
    maxSize: rememberedMaxChars,
    sizeCalculation: charsOf,
  })

  function latest(message: Message): Message {
    const key = `${message.conversationId} ${message.seq}`
    const known = states.get(key)
    const now = known ? joined(known, message) : message
    if (now !== known) states.set(key, now)
    return now
  }

  /** Does the same for a message that was read just now, and may show less than before: the reactions of an erased user are gone. */
  function readNow(message: Message): Message {
    states.set(`${message.conversationId} ${message.seq}`, message)
    return message
  }

  return { latest, readNow }
}

/** Estimates the memory a message takes. */
const charsOf = ({ body, metadata = '', reactions = [], attachments = [] }: Message): number =>
  500 + body.length + metadata.length + 200 * reactions.length + 1000 * attachments.length

/** Returns one of the two where that one shows everything. */
function joined(known: Message, other: Message): Message {
  // Of a deleted message only the sender can change: who is erased gets a pseudonym.
  if (other.deletedAtMs !== undefined) return other
  if (known.deletedAtMs !== undefined) return known
  const [newer, older] = editSeq(other) > editSeq(known) ? [other, known] : [known, other]
  const reactions = joinedReactions(newer.reactions ?? [], older.reactions ?? [])
  return reactions ? { ...newer, reactions } : newer
}

const editSeq = ({ edited }: Message): number => edited?.seq ?? 0

/** Returns the reactions sorted by seq, or undefined where the others add nothing. */
function joinedReactions(own: readonly Reaction[], others: readonly Reaction[]): Reaction[] | undefined {
  const known = new Map(own.map((each) => [keyOf(each), each]))
  const news = others.filter((each) => {
    const mark = known.get(keyOf(each))
    return each.seq > (mark?.seq ?? 0) || floorOf(each) > floorOf(mark)
  })
  if (news.length === 0) return undefined
  const concerned = new Set(news.map(({ userId }) => userId))
  const kept = [...concerned].flatMap((userId) => keptOf([...own, ...news].filter((each) => each.userId === userId)))
  if (kept.every((each) => own.includes(each))) return undefined
  return [...own.filter(({ userId }) => !concerned.has(userId)), ...kept].sort((one, other) => one.seq - other.seq)
}

const keyOf = ({ emoji, userId }: Reaction): string => `${userId} ${emoji}`
