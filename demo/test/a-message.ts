import type { MessageFieldsFragment, TimelineEntry } from '@parley/client'

/** Makes an entry of a timeline: a message in which only what is given is of interest. */
export const aMessage = (seq: number, given: Partial<MessageFieldsFragment> = {}): TimelineEntry => ({
  type: 'message',
  key: `m${seq}`,
  message: {
    id: `m${seq}`,
    conversationId: 'dm_1',
    seq,
    kind: 'USER',
    metadata: null,
    messageId: String(seq),
    clientMessageId: null,
    sender: { id: 'alice', name: null },
    body: 'hello',
    sentAt: '2026-03-10T12:00:00.000Z',
    editedAt: null,
    deletedAt: null,
    attachments: [],
    reactions: [],
    replyTo: null,
    ...given,
  },
})
