import type { LogEntry } from './log.ts'
import type { TaskKind } from './tasks.ts'

type StreamKind = 'messages' | 'changes' | 'ticks' | 'typing' | 'conversations' | 'presence'

/** Counts what happens, for the metrics. Its callers do not wait for it, and it never throws. */
export type Observer = {
  /** A message was stored and published, and is now acknowledged. */
  sent(tookMs: number): void
  /** A retry is answered with what its first attempt has stored. */
  duplicate(kind: LogEntry['kind']): void
  /** A seq was skipped for good: by a reader that met a hole, or by a sender that had reserved one in vain. */
  voided(by: 'reader' | 'sender'): void
  attached(): void
  detached(): void
  /** A stream of messages has read what it had missed, which were that many cells of the log, and is live. */
  caughtUp(cells: number, tookMs: number): void
  /**
   * A stream has read the log because events were lost, because the periodic resync found some missing (`beat`), or because one came too
   * early (`hole`). The reasons are label values of a metric.
   */
  resynced(stream: StreamKind, reason: 'lost' | 'beat' | 'hole'): void
  /** More waited for a reader than its queue holds. */
  overflowed(stream: StreamKind): void
  /** So many messages and changes were taken out of a log, as they were too old. */
  emptied(entries: number): void
  /** A run of a task has ended on this node; `retried`: it is begun again from where it was saved. */
  taskEnded(kind: TaskKind, outcome: 'done' | 'failed' | 'retried'): void
}
