import type { Logger } from 'pino'

type Once = (name: string, tell: (count: number) => void) => void

/**
 * Logs the calls to a backend that failed, once a minute for each operation, table and reason: while a backend is away, every operation fails.
 * The operation that a call was for has a line of its own, with the user and the ids.
 */
export function createFailedCallsLog(logger: Logger, onceAMinute: Once, backend: 'Redis' | 'DynamoDB') {
  return (operation: string, table: string | undefined, reason: string, error: unknown): void =>
    onceAMinute(`${operation} ${table} ${reason}`, (count) =>
      logger.warn({ operation, table, reason, count, err: error }, `a call to ${backend} failed`),
    )
}
