// Changes that the server has not answered yet are shown as if it had.

import type { MessageFieldsFragment, TimelineEntry } from '@parley/client'
import type { Reaction } from './reaction-name.ts'

export type PendingChange = { seq: number } & (
  | { type: 'edit'; body: string }
  | { type: 'remove' }
  | { type: 'react'; emoji: string; on: boolean }
)

export function withPendingChanges(
  entries: readonly TimelineEntry[],
  pending: readonly PendingChange[],
): readonly TimelineEntry[] {
  if (pending.length === 0) return entries
  return entries.map((entry) => {
    if (entry.type !== 'message') return entry
    const own = pending.filter(({ seq }) => seq === entry.message.seq)
    return own.length > 0 ? { ...entry, message: own.reduce(applied, entry.message) } : entry
  })
}

/** Says whether an edit or a deletion is pending. A pending reaction shows no clock. */
export const awaitsChange = (entry: TimelineEntry, pending: readonly PendingChange[]): boolean =>
  entry.type === 'message' && pending.some(({ seq, type }) => seq === entry.message.seq && type !== 'react')

function applied(message: MessageFieldsFragment, change: PendingChange): MessageFieldsFragment {
  if (message.deletedAt) return message
  switch (change.type) {
    case 'edit':
      return { ...message, body: change.body, editedAt: message.editedAt ?? message.sentAt }
    case 'remove':
      return {
        ...message,
        body: '',
        metadata: null,
        deletedAt: message.sentAt,
        attachments: [],
        reactions: [],
        replyTo: null,
      }
    case 'react':
      return { ...message, reactions: reacted(message.reactions, change.emoji, change.on) }
  }
}

function reacted(reactions: readonly Reaction[], emoji: string, on: boolean): Reaction[] {
  const known = reactions.find((reaction) => reaction.emoji === emoji)
  if (!known) return on ? [...reactions, { emoji, count: 1, viewerReacted: true }] : [...reactions]
  if (known.viewerReacted === on) return [...reactions]
  const changed = { emoji, count: known.count + (on ? 1 : -1), viewerReacted: on }
  return reactions.map((reaction) => (reaction === known ? changed : reaction)).filter(({ count }) => count > 0)
}
