import { requireConversation } from '../../resolvers/conversations/conversations.ts'
import { builder } from '../builder.ts'
import { Ticks } from '../messages/ticks.ts'
import { Conversation } from './conversation.ts'

// Apart from ticks.ts: a conversation has ticks, and ticks have a conversation.

builder.objectField(Ticks, 'conversation', (t) =>
  t.field({
    type: Conversation,
    description: 'The conversation.',
    resolve: ({ conversationId }, _args, ctx) => requireConversation(ctx, conversationId),
  }),
)
