import type { MessageFieldsFragment, TimelineEntry } from '@parley/client'
import { fileWords } from '../../files/file-words.ts'
import { nameOf } from '../../people.ts'
import { isNotice } from '../notices/notice-words.ts'
import { deletedWords } from './deleted.ts'

/** The message that another one replies to, in one line. */
export type Quote = { seq: number; author: string; line: string; deleted: boolean }

type Quoted = Pick<MessageFieldsFragment, 'seq' | 'sender' | 'body' | 'deletedAt'> &
  Partial<Pick<MessageFieldsFragment, 'attachments'>>

const longest = 300

export function quoteFrom({ seq, sender, body, deletedAt, attachments = [] }: Quoted, viewer: string): Quote {
  const author = sender.id === viewer ? 'You' : nameOf(sender)
  // One line shows less than this.
  const line = body.slice(0, longest).replace(/\s+/g, ' ').trim()
  // The server sends no attachments of the quoted message. If it has no text, it had some.
  const words = line || fileWords(attachments) || 'Attachment'
  return { seq, author, line: deletedAt ? deletedWords : words, deleted: deletedAt !== null }
}

/** The server sends the quote of a stored message. The quote of an outgoing one is found in the list. */
export function quoteOf(entry: TimelineEntry, entries: readonly TimelineEntry[], viewer: string): Quote | undefined {
  if (entry.type === 'message') {
    const { replyTo, deletedAt } = entry.message
    if (!replyTo || deletedAt) return undefined
    const { attachments = [] } = replyTo.body === '' ? (messageAt(entries, replyTo.seq) ?? {}) : {}
    return quoteFrom({ ...replyTo, attachments }, viewer)
  }
  const { replyToSeq } = entry.outgoing
  const answered = replyToSeq === undefined ? undefined : messageAt(entries, replyToSeq)
  return answered && quoteFrom(answered, viewer)
}

export function messageAt(entries: readonly TimelineEntry[], seq: number): MessageFieldsFragment | undefined {
  const found = entries[indexOfSeq(entries, seq)]
  return found?.type === 'message' ? found.message : undefined
}

export const indexOfSeq = (entries: readonly TimelineEntry[], seq: number): number =>
  entries.findIndex((entry) => entry.type === 'message' && entry.message.seq === seq)

/** Returns the message that the up arrow edits in an empty composer. */
export function lastOwn(entries: readonly TimelineEntry[], viewer: string): MessageFieldsFragment | undefined {
  const found = entries.findLast(
    (entry) =>
      entry.type === 'message' && entry.message.sender.id === viewer && !entry.message.deletedAt && !isNotice(entry),
  )
  return found?.type === 'message' ? found.message : undefined
}
