import type { FeedPosition } from '../../ports/feed.ts'
import { badInput } from '../../protocol/errors.ts'
import { partitionCount } from './partitions.ts'

// Where a consumer of the feed is: how far it has taken each partition. Most rows give one event, and some give several. A position within a row is a
// fraction: that of the row before, and the number of its events that were taken.
//
// Its text is opaque to consumers. It has two numbers for each partition where it is within a row, and one elsewhere. They are varints of base 128,
// the lowest seven bits first; the lowest bit of all says whether the second one follows.

/** One position for each partition; 0 is before everything. */
export type FeedPositions = readonly FeedPosition[]

export const feedBeginning: FeedPositions = Array.from({ length: partitionCount }, () => 0)

const version = 1
/** This is a power of two, so that no position is rounded. */
const eventsMax = 1024

/** Returns where to go on after so many events of a row. */
export const within = (row: FeedPosition, taken: number): FeedPosition =>
  row - 1 + Math.min(taken, eventsMax - 1) / eventsMax

/** Returns the last row that was taken as a whole, and how many events of the next one were. */
export function rowOf(position: FeedPosition): { row: FeedPosition; taken: number } {
  const row = Math.floor(position)
  return { row, taken: (position - row) * eventsMax }
}

export function printPositions(positions: FeedPositions): string {
  const bytes = [version]
  function print(value: number): void {
    let rest = value
    while (rest > 127) {
      bytes.push((rest % 128) + 128)
      rest = Math.floor(rest / 128)
    }
    bytes.push(rest)
  }
  for (const { row, taken } of positions.map(rowOf)) {
    print(2 * row + (taken > 0 ? 1 : 0))
    if (taken > 0) print(taken)
  }
  return Buffer.from(bytes).toString('base64url')
}

export function parsePositions(text: string, field: string): FeedPositions {
  const [first, ...bytes] = Buffer.from(text, 'base64url')
  const numbers = numbersIn(bytes)
  const positions: FeedPosition[] = []
  for (let i = 0; i < numbers.length; i += 1) {
    const number = numbers[i] ?? 0
    const row = Math.floor(number / 2)
    if (number % 2 === 1) i += 1
    positions.push(number % 2 === 1 ? within(row + 1, numbers[i] ?? 0) : row)
  }
  const isWhole = first === version && positions.length === partitionCount
  if (!isWhole || !positions.every(isPosition) || printPositions(positions) !== text)
    throw badInput(field, `${field} must be a position that an event or a page of events had.`)
  return positions
}

const isPosition = (position: number): boolean => position < Number.MAX_SAFE_INTEGER / eventsMax

function numbersIn(bytes: readonly number[]): number[] {
  const numbers: number[] = []
  let number = 0
  let factor = 1
  for (const byte of bytes) {
    number += (byte % 128) * factor
    factor *= 128
    if (byte > 127) continue
    numbers.push(number)
    number = 0
    factor = 1
  }
  return numbers
}
