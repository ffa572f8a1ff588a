import { bytesOf } from './emoji.ts'
import type { Seq, UserId } from './ids.ts'
import { reactionBytesMax } from './limits.ts'

// Decides what a message shows of the changes made to it. The result is the same in whichever order, and however often, they are applied.
//
// Of one person's reactions to a message the latest change of each emoji is kept, taken back or not, so that an older change that is applied
// later has no effect. They are kept latest first, as far as the room of one person goes. The first that finds no room falls out, and all that
// are older with it. Its seq is the person's floor: a change at or below it is never kept, or a small one that comes late would take the room
// that a large one has left. The floor only rises, and depends only on which changes were applied.

/** The latest change of one emoji by one person. `floor` is the highest seq that has found no room; all marks of a person have the same. */
export type ReactionMark = { emoji: string; seq: Seq; on: boolean; floor?: Seq }

type Alteration = { type: 'edit' } | { type: 'delete' } | { type: 'reaction'; emoji: string; on: boolean }
type Change = { seq: Seq; senderId: UserId; alteration: Alteration }
type Shown = {
  deletedAtMs?: number
  edited?: { seq: Seq }
  reactions?: readonly (ReactionMark & { userId: UserId })[]
}

/** The stored line also has a sign, the seq in base 36, a space and a line break. */
const bytesBesideEmoji = 9

/** Returns which marks of one person are kept, sorted by seq. */
export function keptOf<Mark extends ReactionMark>(marks: readonly Mark[]): Mark[] {
  const latest = new Map<string, Mark>()
  for (const mark of marks) if (mark.seq > (latest.get(mark.emoji)?.seq ?? 0)) latest.set(mark.emoji, mark)
  let floor = marks.reduce((highest, mark) => Math.max(highest, floorOf(mark)), 0)
  const kept: Mark[] = []
  let room = reactionBytesMax
  for (const mark of [...latest.values()].sort((one, other) => other.seq - one.seq)) {
    if (mark.seq <= floor) break
    room -= bytesOf(mark.emoji) + bytesBesideEmoji
    if (room < 0) floor = mark.seq
    else kept.unshift(mark)
  }
  return kept.map((mark) => (floorOf(mark) === floor ? mark : { ...mark, floor }))
}

export const floorOf = (mark: ReactionMark | undefined): Seq => mark?.floor ?? 0

/** Whether an edit has lost its text in the log: no body is empty. Such an edit was shown once, or never will be. */
export const isStripped = (alteration: { type: string; body?: string }): boolean =>
  alteration.type === 'edit' && alteration.body === ''

/** Whether applying this change would make no difference to the message, now or ever. */
export function isShown(
  { seq, senderId, alteration }: Change,
  { deletedAtMs, edited, reactions = [] }: Shown,
): boolean {
  if (deletedAtMs !== undefined) return true
  if (alteration.type === 'edit') return (edited?.seq ?? 0) >= seq
  if (alteration.type === 'delete') return false
  const own = reactions.filter(({ userId }) => userId === senderId)
  return own.some((mark) => seq <= floorOf(mark) || (mark.emoji === alteration.emoji && seq <= mark.seq))
}
