import type { FeedPosition } from '../../ports/feed.ts'
import { badInput } from '../../protocol/errors.ts'
import { partitionCount } from './partitions.ts'

// Where a consumer of the feed is: how far it has taken each partition. Its text is opaque to consumers. It is the positions as varints of base 128,
// the lowest seven bits first.

/** By partition; 0 is before everything. */
export type FeedPositions = readonly FeedPosition[]

export const feedBeginning: FeedPositions = Array.from({ length: partitionCount }, () => 0)

const version = 1

export function printPositions(positions: FeedPositions): string {
  const bytes = [version]
  for (const position of positions) {
    let rest = position
    while (rest > 127) {
      bytes.push((rest % 128) + 128)
      rest = Math.floor(rest / 128)
    }
    bytes.push(rest)
  }
  return Buffer.from(bytes).toString('base64url')
}

export function parsePositions(text: string, field: string): FeedPositions {
  const [first, ...bytes] = Buffer.from(text, 'base64url')
  const positions: FeedPosition[] = []
  let position = 0
  let factor = 1
  for (const byte of bytes) {
    position += (byte % 128) * factor
    factor *= 128
    if (byte > 127) continue
    positions.push(position)
    position = 0
    factor = 1
  }
  const isWhole = first === version && positions.length === partitionCount && factor === 1
  if (!isWhole || !positions.every(Number.isSafeInteger) || printPositions(positions) !== text)
    throw badInput(field, `${field} must be a position that an event or a page of events had.`)
  return positions
}
