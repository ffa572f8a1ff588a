import type { ClientMessageId } from '../../protocol/ids.ts'
import type { Item, Key } from './tables.ts'

// What remains of a cell whose time is over. A void has its key alone. An entry is an edit of itself that has lost its text: readers of all kinds go past
// it, and it holds its author, its time and its place.

type Row = Item<'messages'>

/** Returns undefined for what stays as it is. */
export function emptiedRow(row: Row, as: 'void' | 'entry'): (Key<'messages'> & Partial<Row>) | undefined {
  if (row.kind !== 'message' && row.kind !== 'change') return undefined
  const { conversation_id, seq, message_id, sender_id, sent_at } = row
  const key = { conversation_id, seq }
  if (as === 'void') return { ...key, kind: 'void' }
  return {
    ...key,
    kind: 'change',
    message_id,
    client_message_id: emptiedClientId(seq),
    sender_id,
    sent_at,
    target_seq: seq,
    alteration: 'edit',
  }
}

/** No client can have chosen it. */
const emptiedClientId = (seq: number): ClientMessageId => `emptied#${seq}` as ClientMessageId
