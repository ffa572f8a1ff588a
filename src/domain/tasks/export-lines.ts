import type { Conversation } from '../../ports/conversations.ts'
import type { GroupChange, Message } from '../../ports/log.ts'
import { toTimeText } from '../../protocol/time-text.ts'

// The lines of exports. docs/erasure.md explains them; columns are added and never renamed.

export const formatVersion = 1

/** Makes an object of the text of a JSON object. */
export const metadataOf = (text: string | undefined) =>
  text === undefined ? {} : { metadata: JSON.parse(text) as unknown }

export function conversationLine(conversation: Conversation) {
  const { id, kind, metadata, retention } = conversation
  const members =
    conversation.kind === 'GROUP'
      ? [...conversation.membersById].map(([userId, { role, joinedSeq }]) => ({ userId, role, joinedSeq }))
      : conversation.members.map((userId) => ({ userId, role: 'MEMBER', joinedSeq: 0 }))
  const title = conversation.kind === 'GROUP' ? { title: conversation.title } : {}
  const kept = retention?.days === undefined ? {} : { retentionDays: retention.days }
  return { type: 'conversation', id, kind, ...title, ...metadataOf(metadata), ...kept, members }
}

export function messageLine(message: Message) {
  const { reactions = [] } = message
  const shown = reactions.filter(({ on }) => on).map(({ emoji, userId }) => ({ emoji, userId }))
  return { ...ownLine(message), ...(shown.length > 0 && { reactions: shown }) }
}

/** Makes the line of a message with what is its sender's, and nothing that others have added. */
export function ownLine(message: Message) {
  const { conversationId, seq, messageId, clientMessageId, senderId, system, body, replyToSeq, sentAtMs } = message
  const { metadata, attachments, edited, deletedAtMs } = message
  return {
    type: 'message',
    conversationId,
    seq,
    id: messageId,
    kind: system ? 'SYSTEM' : 'USER',
    senderId,
    clientMessageId,
    sentAt: toTimeText(sentAtMs),
    ...(deletedAtMs === undefined ? { body } : { deletedAt: toTimeText(deletedAtMs) }),
    ...(edited && { editedAt: toTimeText(edited.atMs) }),
    ...(replyToSeq !== undefined && { replyToSeq }),
    ...metadataOf(metadata),
    ...(attachments && {
      attachments: attachments.map(({ key, contentType, byteSize, name }) => ({ key, contentType, byteSize, name })),
    }),
  }
}

export function groupChangeLine(change: GroupChange) {
  const { conversationId, seq, senderId, sentAtMs, added, removed, roles, title, metadata } = change
  return {
    type: 'groupChange',
    conversationId,
    seq,
    actorId: senderId,
    at: toTimeText(sentAtMs),
    ...(added.length > 0 && { added }),
    ...(removed.length > 0 && { removed }),
    ...(roles.length > 0 && { roles }),
    ...(title !== undefined && { title }),
    ...(metadata !== undefined && (metadata === null ? { metadata } : metadataOf(metadata))),
  }
}
