import type { FeedPartition, FeedPosition } from '../../ports/feed.ts'
import { partitionCount, partitions } from '../feed/partitions.ts'
import type { FeedPositions } from '../feed/positions.ts'

/** Each share of the feed is worked off by one node at a time, for all webhooks. The number is part of what is stored, so it never changes. */
export const shareCount = 8

export const shares: readonly number[] = Array.from({ length: shareCount }, (_, i) => i)

export const shareOf = (partition: FeedPartition): number => partition % shareCount

export const partitionsOf = (share: number): FeedPartition[] => partitions.filter((each) => shareOf(each) === share)

/** A share keeps the positions of its own partitions alone. */
export const ownPositions = (share: number, positions: FeedPositions): FeedPosition[] =>
  partitionsOf(share).map((partition) => positions[partition] ?? 0)

/** Puts the positions of the shares together; `positionsIn` returns those of one. */
export function joinPositions(positionsIn: (share: number) => readonly FeedPosition[]): FeedPositions {
  const joined: FeedPosition[] = Array.from({ length: partitionCount }, () => 0)
  for (const share of shares) {
    const own = positionsIn(share)
    for (const [i, partition] of partitionsOf(share).entries()) joined[partition] = own[i] ?? 0
  }
  return joined
}
