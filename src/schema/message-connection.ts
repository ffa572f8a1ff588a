import { writtenOnce } from '../engine/graphql/sharing.ts'
import type { Message as MessageSource } from '../ports/log.ts'
import { builder } from './builder.ts'

/** Named here, filled in message.ts: a conversation has messages and a message has a conversation. */
export const Message = builder.objectRef<MessageSource>('Message')

export const MessageConnection = builder.connectionObject(
  { type: Message, name: 'MessageConnection', description: 'A page of messages, newest first.', ...writtenOnce },
  { name: 'MessageEdge', description: 'A message at its place.' },
)
