import type { FeedPartition } from '../../ports/feed.ts'

/** One partition of a table takes a thousand writes a second. The number is part of every position that was handed out, so it never changes. */
export const partitionCount = 32

export const partitions: readonly FeedPartition[] = Array.from({ length: partitionCount }, (_, i) => i)

/** FNV-1a. All that concerns one conversation, or one user where it concerns none, is in one partition. */
export function partitionOf(id: string): FeedPartition {
  let hash = 0x811c9dc5
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % partitionCount
}
