import type { Logger } from 'pino'
import type { Clock } from '../ports/clock.ts'
import type { Metrics, TransportName } from './metrics.ts'
import type { OperationIds } from './operation-ids.ts'

export type Operation = {
  /** The name that the client gives it; an anonymous operation has none. */
  name: string | undefined
  type: 'query' | 'mutation' | 'subscription' | 'unknown'
  transport: TransportName
  ids?: OperationIds | undefined
}

/** Starts to measure; the returned function writes one line and counts one operation. A line never holds a body or a token. */
export type OperationLog = (operation: Operation) => (errors?: readonly { code: string }[]) => void

const nameMaxChars = 80
/** An operator wants to know of operations that take this long. */
const slowMs = 250
const none: readonly string[] = []
const noIds: OperationIds = {}

/**
 * Logs at `info` the operations that failed, sent a message or were slow, and the ends of subscriptions. The rest, which is nearly
 * everything (reads, acks, who is typing), is logged at `debug`: a line would cost more than the operation.
 */
export function createOperationLog(clock: Clock, logger: Logger, metrics: Metrics): OperationLog {
  return ({ name, type, transport, ids }) => {
    const startedAtMs = clock.monotonic()
    return (errors) => {
      const durationMs = Math.round(clock.monotonic() - startedAtMs)
      const codes = errors?.length ? [...new Set(errors.map(({ code }) => code))] : none
      const isNews = codes.length > 0 || ids?.sent !== undefined || durationMs >= slowMs || type === 'subscription'
      const level = isNews ? 'info' : 'debug'
      if (logger.isLevelEnabled(level)) {
        const operation = name?.slice(0, nameMaxChars)
        const { requestId, connectionId, operationId, userId, sent } = ids ?? noIds
        logger[level](
          { requestId, connectionId, operationId, userId, sent, operation, type, transport, durationMs, codes },
          'operation',
        )
      }
      // The name is no label: clients choose it, and every label value is kept for ever.
      if (codes.includes('IDEMPOTENCY_CONFLICT')) metrics.conflicts.inc()
      metrics.finished(type, transport, codes[0] ?? 'OK', durationMs / 1000)
    }
  }
}
