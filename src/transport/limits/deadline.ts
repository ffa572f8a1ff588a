import type { Clock } from '../../ports/clock.ts'
import { unavailable } from '../../protocol/errors.ts'
import { createDeadlineQueue } from '../../shared/deadline-queue.ts'
import { timersOf } from '../../shared/timers.ts'
import * as shared from '../../shared/within.ts'

/** Settles as the work does, or rejects with UNAVAILABLE if the work takes longer. */
export const within = <T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> =>
  shared.within(timersOf(clock), ms, work, unavailable)

/** Does the same as `within` for operations and events, of which there are many: one timer serves all of them. */
export function createDeadline(clock: Clock, ms: number): <T>(work: Promise<T>) => Promise<T> {
  const queue = createDeadlineQueue(timersOf(clock))
  return (work) => shared.withinQueue(queue, ms, work, unavailable)
}
