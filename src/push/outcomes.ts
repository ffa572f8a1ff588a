import type { PushOutcome } from '../ports/push.ts'

export const accepted: PushOutcome = { type: 'accepted' }
export const unregistered: PushOutcome = { type: 'unregistered' }
export const rejected = (reason: string): PushOutcome => ({ type: 'rejected', reason })
export const retry = (reason: string, afterMs?: number): PushOutcome =>
  afterMs === undefined ? { type: 'retry', reason } : { type: 'retry', reason, afterMs }
/** The service works, but it accepts no more for this one device. */
export const retryAlone = (reason: string, afterMs?: number): PushOutcome => ({
  type: 'retry',
  reason,
  alone: true,
  ...(afterMs !== undefined && { afterMs }),
})

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message || error.name : 'failed')
