import { createHash } from 'node:crypto'
import type { Notification } from '../ports/push.ts'

// Makes the payload that a device gets; docs/push.md shows it. The platforms differ only in what wraps it. A banner belongs to its
// conversation: `tag` names it, and the next one with the same tag takes its place.

export type PushPayload =
  | { title: string; body: string; conversationId: string; seq: number; tag: string }
  | { withdraw: true; conversationId: string; seq: number; tag: string }

export function payloadOf(notification: Notification): PushPayload {
  const { conversationId, seq } = notification
  const place = { conversationId, seq, tag: conversationId }
  if (notification.type === 'withdraw') return { withdraw: true, ...place }
  return { title: notification.title, body: notification.body, ...place }
}

/** The key fits into the 32 characters of a Web Push topic, and into what the other services allow. */
export const collapseKeyOf = ({ conversationId }: Notification): string =>
  createHash('sha256').update(conversationId).digest('base64url').slice(0, 32)

/** How long a service keeps a push for a device that is switched off. */
export const keptForSeconds = 24 * 3600
