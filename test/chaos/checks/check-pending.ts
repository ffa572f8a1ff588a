import type { Anomaly } from './anomaly.ts'
import type { History, PendingSeen } from './history.ts'

/** The row says that something waits, and that is delivered already. */
export const isOutlived = ({ firstUndeliveredSeq, lastDeliveredSeq, abandoned }: PendingSeen): boolean =>
  firstUndeliveredSeq <= lastDeliveredSeq && !abandoned

/**
 * In the end all users have left and then acked everything: no pending row may outlive that. A row that was written when its writer had given
 * up is excused: it may have come after the last ack that looked.
 */
export const checkPending = ({ pending }: History): Anomaly[] =>
  pending.filter(isOutlived).map(({ userId, conversationId, firstUndeliveredSeq, lastDeliveredSeq }) => {
    const text = `a pending row names #${firstUndeliveredSeq} for ${userId}, who has acked up to #${lastDeliveredSeq}`
    return { promise: 'pending', text, conversationId, seq: firstUndeliveredSeq, userId }
  })
