import type { TicksState, TimelineEntry } from '../../../src/client/index.ts'
import type { TickState } from '../parts/tick.tsx'
import type { Row } from './rows.ts'

/** The newest message of somebody else, or 0. What one wrote oneself is not read. */
export function newestSeqOf(entries: readonly TimelineEntry[], viewer: string): number {
  const newest = entries.findLast((entry) => entry.type === 'message' && entry.message.sender.id !== viewer)
  return newest?.type === 'message' ? newest.message.seq : 0
}

export function tickStateOf({ entry, mine }: Row, ticks: TicksState): TickState | undefined {
  if (entry.type === 'message') return mine && !entry.message.deletedAt ? ticks.tickOf(entry.message.seq) : undefined
  return ({ waiting: 'WAITING', sent: 'SENT', failed: 'FAILED' } as const)[entry.outgoing.state]
}
