import type { Reaction } from '../../ports/log.ts'
import { floorOf, keptOf, type ReactionMark } from '../../protocol/alterations.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { Item } from './tables.ts'

// How reactions are stored in a message's row: the map `reacted` has one text for each person, with these lines:
//
//   3 b          how many changes they made; then, once one of them has found no room, the highest seq of those in base 36
//   +c 👍        a reaction: the sign says whether it stands, then comes the seq of its change in base 36, then the emoji
//   -d 🎉        one that was taken back
//
// An id such as `constructor` or `__proto__` names a property that every object has. Its entry has an equals sign before it, which no id holds:
// otherwise a lookup would find that property, and the SDK does not write `__proto__`. Rows of earlier releases may lack the sign.
//
// An emoji holds no line break. Rows of earlier releases have them in the map `reactions`, under "emoji user_id"; an id holds no space.

const radix = 36

export function printMarks(changes: number, marks: readonly ReactionMark[]): string {
  const lines = marks.map(({ emoji, seq, on }) => `${on ? '+' : '-'}${seq.toString(radix)} ${emoji}`)
  const floor = floorOf(marks[0])
  return [floor === 0 ? changes : `${changes} ${floor.toString(radix)}`, ...lines].join('\n')
}

/** Returns the name of a person's entry in the map `reacted`. */
export const entryName = (userId: UserId): string => (userId in Object.prototype ? `=${userId}` : userId)

/** Returns the name of a reaction in the map of earlier releases. */
export const earlierName = (emoji: string, userId: UserId): string => `${emoji} ${userId}`

/** Makes the map of a row. */
export function toReacted(reactions: readonly Reaction[]): Record<string, string> {
  const own = new Map<UserId, Reaction[]>()
  for (const each of reactions) own.set(each.userId, [...(own.get(each.userId) ?? []), each])
  return Object.fromEntries(
    [...own].map(([userId, marks]) => [entryName(userId), printMarks(marks[0]?.changes ?? 0, marks)]),
  )
}

/** Returns the reactions sorted by seq. */
export function toReactions({ reacted = {}, reactions }: Item<'messages'>): Reaction[] {
  const all = Object.entries(reacted).flatMap(([name, text]) => {
    const userId = (name.startsWith('=') ? name.slice(1) : name) as UserId
    const isReplaced = name in Object.prototype && Object.hasOwn(reacted, entryName(userId))
    return isReplaced ? [] : parseMarks(userId, text)
  })
  const both = reactions ? withEarlier(all, reactions) : all
  return both.sort((one, other) => one.seq - other.seq)
}

function parseMarks(userId: UserId, text: string): Reaction[] {
  const [head = '', ...lines] = text.split('\n')
  const [count, floorText] = head.split(' ')
  const changes = Number(count) || 0
  const floor = floorText === undefined ? undefined : Number.parseInt(floorText, radix)
  return lines.map((line) => {
    const space = line.indexOf(' ')
    const seq = Number.parseInt(line.slice(1, space), radix)
    const mark = { emoji: line.slice(space + 1), userId, seq, on: line.startsWith('+'), changes }
    return floor === undefined ? mark : { ...mark, floor }
  })
}

/** Adds the reactions of earlier releases. A person who has changed theirs since may have them in both maps. */
function withEarlier(reactions: readonly Reaction[], earlier: Record<string, number>): Reaction[] {
  const own = new Map<UserId, Reaction[]>()
  const add = (reaction: Reaction) => own.set(reaction.userId, [...(own.get(reaction.userId) ?? []), reaction])
  for (const reaction of reactions) add(reaction)
  for (const [name, seq] of Object.entries(earlier)) {
    const space = name.lastIndexOf(' ')
    const userId = name.slice(space + 1) as UserId
    add({ emoji: name.slice(0, space), userId, seq: Math.abs(seq), on: seq > 0 })
  }
  return [...own.values()].flatMap((each) => keptOf(each))
}
