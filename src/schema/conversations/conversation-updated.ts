import type { ConversationUpdate } from '../../domain/streams/follow-conversations.ts'
import { conversationEdgeOf, conversationUpdated, removedIdOf } from '../../resolvers/conversations/conversations.ts'
import { builder } from '../builder.ts'
import { Conversation, ConversationEdge } from './conversation.ts'

const ConversationUpdatedPayload = builder.objectRef<ConversationUpdate>('ConversationUpdatedPayload').implement({
  description: 'An event of conversationUpdated: a conversation as it is now, or that one is gone.',
  fields: (t) => ({
    conversation: t.field({
      type: Conversation,
      nullable: true,
      description: 'The conversation; null where it is gone.',
      resolve: ({ member }) => member,
    }),
    conversationEdge: t.field({
      type: ConversationEdge,
      nullable: true,
      description: 'The conversation at its place in `conversations`; null where it is gone.',
      resolve: (update, _args, ctx) => conversationEdgeOf(ctx, update),
    }),
    removedConversationId: t.id({
      nullable: true,
      description:
        'The id of a group that the viewer was removed from or has left; null where the conversation is there.',
      resolve: removedIdOf,
    }),
  }),
})

builder.subscriptionField('conversationUpdated', (t) =>
  t.field({
    type: ConversationUpdatedPayload,
    description:
      'The viewer’s conversations as they change, for a list of chats: something was said or changed in one, somebody began one, ' +
      'the viewer has read it on another device or changed their settings, was added to a group, was removed from one or has left ' +
      'it. Each event shows the conversation as it is then; changes in quick succession may share one, and the last state always ' +
      'comes. What others have read is told by `ticksChanged`. Nothing is made up for from before it began: subscribe, then load ' +
      'the list.',
    subscribe: (_root, _args, ctx) => conversationUpdated(ctx),
    resolve: (update) => update,
  }),
)
