// What the reader has changed and the server has not yet heard of: shown as it will be.

import type { MessageFieldsFragment } from '../../../src/client/generated/graphql.ts'
import type { TimelineEntry } from '../../../src/client/index.ts'
import type { Reaction } from './reaction-name.ts'

export type Wish = { seq: number } & (
  | { type: 'edit'; body: string }
  | { type: 'remove' }
  | { type: 'react'; emoji: string; on: boolean }
)

export function withWishes(entries: readonly TimelineEntry[], wishes: readonly Wish[]): readonly TimelineEntry[] {
  if (wishes.length === 0) return entries
  return entries.map((entry) => {
    if (entry.type !== 'message') return entry
    const own = wishes.filter(({ seq }) => seq === entry.message.seq)
    return own.length > 0 ? { ...entry, message: own.reduce(granted, entry.message) } : entry
  })
}

/** Whether the words of a message are still on their way; a reaction is not worth a clock. */
export const awaitsChange = (entry: TimelineEntry, wishes: readonly Wish[]): boolean =>
  entry.type === 'message' && wishes.some(({ seq, type }) => seq === entry.message.seq && type !== 'react')

function granted(message: MessageFieldsFragment, wish: Wish): MessageFieldsFragment {
  if (message.deletedAt) return message
  switch (wish.type) {
    case 'edit':
      return { ...message, body: wish.body, editedAt: message.editedAt ?? message.sentAt }
    case 'remove':
      return { ...message, body: '', deletedAt: message.sentAt, attachments: [], reactions: [], replyTo: null }
    case 'react':
      return { ...message, reactions: reacted(message.reactions, wish.emoji, wish.on) }
  }
}

function reacted(reactions: readonly Reaction[], emoji: string, on: boolean): Reaction[] {
  const known = reactions.find((reaction) => reaction.emoji === emoji)
  if (!known) return on ? [...reactions, { emoji, count: 1, viewerReacted: true }] : [...reactions]
  if (known.viewerReacted === on) return [...reactions]
  const changed = { emoji, count: known.count + (on ? 1 : -1), viewerReacted: on }
  return reactions.map((reaction) => (reaction === known ? changed : reaction)).filter(({ count }) => count > 0)
}
