import { conversationChanged } from '../../resolvers/conversations/conversations.ts'
import { builder } from '../builder.ts'
import { Conversation } from './conversation.ts'

builder.subscriptionField('conversationChanged', (t) =>
  t.field({
    type: Conversation,
    description:
      'The viewer’s conversations as they change, for a list of chats: something was said or changed in one, somebody began one, ' +
      'the viewer has read it on another device or changed their settings. Each event shows the conversation as it is ' +
      'then; changes in quick succession may share one, and the last state always comes. What others have read is told by ' +
      '`ticksChanged`. Nothing is made up for from before it began: subscribe, then load the list.',
    deprecationReason: 'Use conversationUpdated, which also says when a conversation is gone.',
    subscribe: (_root, _args, ctx) => conversationChanged(ctx),
    resolve: (conversation) => conversation,
  }),
)
