import type { Logger } from 'pino'
import type { Message } from '../ports/log.ts'
import type { NodeMetrics } from './node-metrics.ts'
import type { OperationIds } from './operation-ids.ts'

/** Notes down what an operation has sent, for its log line: these ids find the message in the log of every node. */
export const noteSent =
  (ids: OperationIds) =>
  ({ message, duplicate }: { message: Message; duplicate: boolean }): void => {
    const { conversationId, seq, messageId } = message
    ids.sent ??= []
    ids.sent.push({ conversationId, seq, messageId, duplicate })
  }

/** Writes a line and counts for each message that was handed to a connection. */
export function createDeliveryLog(logger: Logger, metrics: NodeMetrics) {
  return (event: unknown, ids: OperationIds): void => {
    if (!isShownMessage(event)) return
    const { row, catchUp } = event
    metrics.delivered(row, catchUp)
    if (!logger.isLevelEnabled('debug')) return
    const { conversationId, seq, messageId } = row
    logger.debug({ ...ids, conversationId, seq, messageId, catchUp }, 'delivered')
  }
}

function isShownMessage(event: unknown): event is { row: Message; catchUp: boolean } {
  const { row } = (event ?? {}) as { row?: { kind?: unknown } }
  return row?.kind === 'message'
}
