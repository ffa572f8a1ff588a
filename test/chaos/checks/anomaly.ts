import type { MessageSeen } from './history.ts'

/** This is a broken promise, and what to look at to understand it. */
export type Anomaly = {
  promise:
    | 'P1'
    | 'P2'
    | 'P3'
    | 'P4'
    | 'P5'
    | 'P6'
    | 'groups'
    | 'runtime'
    | 'errors'
    | 'recovery'
    | 'processes'
    | 'pending'
    | 'voids'
    | 'feed'
  text: string
  atMs?: number
  conversationId?: string
  seq?: number
  clientMessageId?: string
  userId?: string
}

/** This is everything about a message that no later change alters. */
export const identity = ({ conversationId, seq, id, messageId, senderId }: MessageSeen): string =>
  JSON.stringify([conversationId, seq, id, messageId, senderId])

/** Only the sender is shown the clientMessageId, but each body begins with it. */
export const clientMessageIdOf = ({ clientMessageId, body }: MessageSeen): string =>
  clientMessageId ?? body.split(' ', 1)[0] ?? ''

export const short = ({ seq, messageId, body }: MessageSeen): string => `#${seq} ${messageId} "${body.slice(0, 24)}"`
