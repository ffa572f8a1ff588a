// What a cache shows of a message between the moment it is sent and the answer of the server.

/** The seq of a message that has none yet. It is above every other, so that the message is shown as the newest. */
export const pendingSeq = 2 ** 31 - 1

/** Whether the server has not answered yet. */
export const isPending = ({ seq }: { seq: number }): boolean => seq === pendingSeq

export type PendingMessage = {
  clientMessageId: string
  conversationId: string
  body: string
  /** Who sends it. */
  sender: { id: string; name?: string | null }
  /** The moment of sending, as the device has it. Shown until the server says when it was accepted. */
  sentAt?: string
}

/** All fields of a message that has just been sent, but for those that are objects of their own. */
export const pendingFields = ({ clientMessageId, conversationId, body, sentAt = '' }: PendingMessage) => ({
  id: `pending:${clientMessageId}`,
  conversationId,
  seq: pendingSeq,
  messageId: '',
  clientMessageId,
  cursor: `pending:${clientMessageId}`,
  kind: 'USER' as const,
  body,
  metadata: null,
  sentAt,
  editedAt: null,
  deletedAt: null,
  tick: 'SENT' as const,
})

/** What `sendMessage` would answer, for caches that write an answer before it comes. */
export function pendingSend(pending: PendingMessage) {
  const { id, name = null } = pending.sender
  const node = {
    __typename: 'Message' as const,
    ...pendingFields(pending),
    sender: { __typename: 'User' as const, id, name, avatarUrl: null, metadata: null },
    conversation: { __typename: 'Conversation' as const, id: pending.conversationId },
    attachments: [],
    reactions: [],
    replyTo: null,
  }
  const messageEdge = { __typename: 'MessageEdge' as const, cursor: node.cursor, node }
  return { __typename: 'SendMessagePayload' as const, duplicate: false, message: node, messageEdge }
}
