import type { Logger } from 'pino'
import type { Clock } from '../domain/ports.ts'
import type { Metrics, TransportName } from './metrics.ts'
import type { OperationIds } from './operation-ids.ts'

export type Operation = {
  /** As the client calls it; undefined for an anonymous one. */
  name: string | undefined
  type: 'query' | 'mutation' | 'subscription' | 'unknown'
  transport: TransportName
  ids?: OperationIds | undefined
}

/** Starts the watch; the returned function writes one line and counts one operation. Never a body, never a token. */
export type OperationLog = (operation: Operation) => (errors?: readonly { code: string }[]) => void

const nameMaxChars = 80

export function createOperationLog(clock: Clock, logger: Logger, metrics: Metrics): OperationLog {
  return ({ name, type, transport, ids }) => {
    const startedAtMs = clock.now()
    return (errors = []) => {
      const durationMs = clock.now() - startedAtMs
      const codes = [...new Set(errors.map(({ code }) => code))]
      logger.info({ ...ids, operation: name?.slice(0, nameMaxChars), type, transport, durationMs, codes }, 'operation')
      // No name here: clients choose it, and every label value is kept for ever.
      if (codes.includes('IDEMPOTENCY_CONFLICT')) metrics.conflicts.inc()
      metrics.operations.inc({ type, transport, code: codes[0] ?? 'OK' })
      if (type !== 'subscription') metrics.durations.observe({ type, transport }, durationMs / 1000)
    }
  }
}
