import type { MessageSeen } from './history.ts'

/** A broken promise, and what to look at to understand it. */
export type Anomaly = {
  promise: 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | 'P6' | 'runtime' | 'errors' | 'recovery' | 'processes'
  text: string
  atMs?: number
  conversationId?: string
  seq?: number
  clientMessageId?: string
  userId?: string
}

/** Everything about a message that all readers must agree on. */
export const identity = ({ conversationId, seq, id, messageId, senderId, body }: MessageSeen): string =>
  JSON.stringify([conversationId, seq, id, messageId, senderId, body])

export const short = ({ seq, messageId, body }: MessageSeen): string => `#${seq} ${messageId} "${body.slice(0, 24)}"`
