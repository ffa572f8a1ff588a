import type { Member } from '../../domain/conversations/access.ts'
import {
  findConversation,
  lastMessageOf,
  lastSeqOf,
  listConversations,
} from '../../resolvers/conversations/conversations.ts'
import { listMessagesOf } from '../../resolvers/messages/messages.ts'
import { builder } from '../builder.ts'
import { aroundSeqDescription, Message, MessageConnection, noticesDescription } from '../messages/message-connection.ts'
import { Ticks } from '../messages/ticks.ts'
import { User } from '../people/user.ts'

const ConversationKind = builder.enumType('ConversationKind', {
  description: 'The kinds of conversations.',
  values: {
    DIRECT: { description: 'Two people, or one with themselves. Its members never change.' },
    GROUP: { description: 'Up to 1,024 people, who come and go.' },
  } as const,
})

/** The source of the type is the viewer's membership, since only members see a conversation. */
export const Conversation = builder.objectRef<Member>('Conversation')

builder.node(Conversation, {
  description: 'A conversation of the viewer.',
  id: { resolve: ({ conversation }) => conversation.id, description: '`dm_…` or `grp_…`.' },
  loadWithoutCache: (id, ctx) => findConversation(ctx, id),
  fields: (t) => ({
    kind: t.field({
      type: ConversationKind,
      description: 'Direct or group.',
      resolve: ({ conversation }) => conversation.kind,
    }),
    title: t.string({
      nullable: true,
      description: "A group's title; null for a direct chat.",
      resolve: ({ conversation }) => (conversation.kind === 'GROUP' ? conversation.title : null),
    }),
    members: t.field({
      type: [User],
      description: 'Who is in it, the viewer included.',
      resolve: ({ conversation }) => conversation.members.map((id) => ({ id })),
    }),
    lastSeq: t.int({
      description: 'The seq of the last entry of its log: a message, or a change of one; 0 if there is none.',
      resolve: (member, _args, ctx) => lastSeqOf(ctx, member),
    }),
    lastMessage: t.field({
      type: Message,
      nullable: true,
      description: 'The last message.',
      resolve: (member, _args, ctx) => lastMessageOf(ctx, member),
    }),
    unreadCount: t.int({
      description:
        'Messages of others the viewer has not read, but for those deleted: exact to 99, then 100 stands for more.',
      resolve: (member, _args, ctx) => ctx.loaders.unreadCounts.load(member),
    }),
    ticks: t.field({
      type: [Ticks],
      description: 'How far each member has got, the viewer included.',
      resolve: (member, _args, ctx) => ctx.loaders.ticks.load(member),
    }),
    messages: t.field({
      type: MessageConnection,
      description: 'Its messages, newest first, as in `Query.messages`.',
      args: {
        aroundSeq: t.arg.int({ description: aroundSeqDescription }),
        notices: t.arg.boolean({ defaultValue: false, description: noticesDescription }),
        ...t.arg.connectionArgs(),
      },
      resolve: (member, args, ctx) => listMessagesOf(ctx, member, args),
    }),
  }),
})

export const ConversationPayload = builder.objectRef<{ conversation: Member }>('ConversationPayload').implement({
  description: 'A conversation after it was changed.',
  fields: (t) => ({
    conversation: t.expose('conversation', { type: Conversation, description: 'The conversation as it is now.' }),
  }),
})

export const ConversationEdge = builder.edgeObject({
  type: Conversation,
  name: 'ConversationEdge',
  description: 'A chat at its place.',
})

const ConversationConnection = builder.connectionObject(
  { type: Conversation, name: 'ConversationConnection', description: 'A page of chats, latest activity first.' },
  ConversationEdge,
)

const ConversationFilter = builder.inputType('ConversationFilter', {
  description: 'Which conversations to list: those for which all that is given holds.',
  fields: (t) => ({
    kind: t.field({ type: ConversationKind, description: 'Only direct chats, or only groups.' }),
    archived: t.boolean({ description: 'Only those the viewer has archived, or only the others.' }),
    pinned: t.boolean({ description: 'Only those the viewer has pinned, or only the others.' }),
    unread: t.boolean({ description: 'Only those with something unread, or only the others.' }),
  }),
})

builder.queryField('conversation', (t) =>
  t.field({
    type: Conversation,
    nullable: true,
    description: 'One of the viewer’s conversations; null for any other, existing or not.',
    args: { id: t.arg.id({ required: true, description: 'Its id.' }) },
    resolve: (_root, { id }, ctx) => findConversation(ctx, id),
  }),
)

builder.queryField('conversations', (t) =>
  t.field({
    type: ConversationConnection,
    description:
      "The viewer's chats, latest activity first, whatever is pinned or archived: clients arrange. A direct chat is listed " +
      'from its first message on.',
    args: {
      filter: t.arg({ type: ConversationFilter, description: 'Only those; without it, all.' }),
      ...t.arg.connectionArgs(),
    },
    resolve: (_root, args, ctx) => listConversations(ctx, args),
  }),
)
