import {
  deliveredSeqOf,
  findDirectConversation,
  lastActivityAtOf,
  readSeqOf,
} from '../../resolvers/conversations/conversation-facts.ts'
import { unreadConversationCount } from '../../resolvers/conversations/conversation-filter.ts'
import { builder } from '../builder.ts'
import { Conversation } from './conversation.ts'

builder.objectFields(Conversation, (t) => ({
  memberCount: t.int({
    description: 'How many are in it, the viewer included.',
    resolve: ({ conversation }) => conversation.members.length,
  }),
  metadata: t.field({
    type: 'JSON',
    nullable: true,
    description: 'What the app’s backend has put beside it; null if nothing.',
    resolve: (member, _args, ctx) => ctx.loaders.conversationMetadata.load(member),
  }),
  lastActivityAt: t.field({
    type: 'DateTime',
    description:
      'When something was last said in it, which is its place in `conversations`. Where nothing was since the viewer came: when they came.',
    resolve: (member, _args, ctx) => lastActivityAtOf(ctx, member),
  }),
  deliveredSeq: t.int({
    description:
      'How far everybody else’s devices have got: a message of the viewer’s own at or below it has two ticks at least. Alone in ' +
      'it, as with notes to self: lastSeq.',
    resolve: (member, _args, ctx) => deliveredSeqOf(ctx, member),
  }),
  readSeq: t.int({
    description:
      'How far everybody else has read: a message of the viewer’s own at or below it has two blue ticks. Alone in it: lastSeq.',
    resolve: (member, _args, ctx) => readSeqOf(ctx, member),
  }),
}))

builder.queryField('directConversation', (t) =>
  t.field({
    type: Conversation,
    nullable: true,
    description: 'The direct chat with somebody; null while nothing was said in it.',
    args: { userId: t.arg.id({ required: true, description: 'Who. Oneself: notes to self.' }) },
    resolve: (_root, { userId }, ctx) => findDirectConversation(ctx, userId),
  }),
)

builder.queryField('unreadConversationCount', (t) =>
  t.int({
    description: 'Conversations with something unread, muted and archived ones left out: exact to 99, then 100.',
    resolve: (_root, _args, ctx) => unreadConversationCount(ctx),
  }),
)
