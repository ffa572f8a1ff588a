import type { MessageOrNotice } from '../../domain/conversations/notices.ts'
import { writtenOnce } from '../../engine/graphql/sharing.ts'
import { builder } from '../builder.ts'

/** The type is declared here and filled in message.ts, because a conversation has messages and a message has a conversation. */
export const Message = builder.objectRef<MessageOrNotice>('Message')

export const MessageEdge = builder.edgeObject({
  type: Message,
  name: 'MessageEdge',
  description: 'A message at its place.',
})

export const MessageConnection = builder.connectionObject(
  { type: Message, name: 'MessageConnection', description: 'A page of messages, newest first.', ...writtenOnce },
  MessageEdge,
)

/** Of both fields `messages`. */
export const aroundSeqDescription =
  'A page with the message at this seq in the middle, or with its place, if there is no message. It goes with `first` alone; ' +
  'hasNextPage and hasPreviousPage both say whether there is more on that side.'

export const noticesDescription =
  'Whether changes of the group are shown too, each at its place, as a message of the kind NOTICE.'
