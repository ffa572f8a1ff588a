import type { TicksState, TimelineEntry } from '@parley/client'
import type { TickState } from '../../parts/tick.tsx'
import { isNotice } from '../notices/notice-words.ts'
import type { Row } from './rows.ts'

/** Returns the seq of the newest message of another user, or 0. Own messages need no read receipt. */
export function newestSeqOf(entries: readonly TimelineEntry[], viewer: string): number {
  const newest = entries.findLast(
    (entry) => entry.type === 'message' && entry.message.sender.id !== viewer && !isNotice(entry),
  )
  return newest?.type === 'message' ? newest.message.seq : 0
}

export function tickStateOf({ entry, mine }: Row, ticks: TicksState): TickState | undefined {
  if (entry.type === 'message') return mine && !entry.message.deletedAt ? ticks.tickOf(entry.message.seq) : undefined
  return ({ waiting: 'WAITING', sent: 'SENT', failed: 'FAILED' } as const)[entry.outgoing.state]
}
