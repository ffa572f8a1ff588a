import {
  type AdminConversation,
  type AdminMember,
  conversationMetadataOf,
  conversationsOf,
  createGroup,
  findConversation,
  lastSeqOf,
  membersOf,
  retentionDaysOf,
  updateConversation,
  updateMembers,
} from '../resolvers/conversations.ts'
import { after, builder, first } from './builder.ts'

const Member = builder.objectRef<AdminMember>('AdminMember').implement({
  description: 'Somebody in a conversation, and how far they have got.',
  fields: (t) => ({
    userId: t.exposeID('userId', { description: 'The user’s id.' }),
    role: t.exposeString('role', { description: 'OWNER, ADMIN or MEMBER.' }),
    joinedSeq: t.exposeInt('joinedSeq', { description: 'They see what is above it.' }),
    lastDeliveredSeq: t.exposeInt('lastDeliveredSeq', { description: 'A device of theirs has everything up to it.' }),
    lastReadSeq: t.exposeInt('lastReadSeq', { description: 'They have read everything up to it.' }),
  }),
})

export const Conversation = builder.objectRef<AdminConversation>('AdminConversation').implement({
  description: 'A direct chat or a group, as backends see it.',
  fields: (t) => ({
    id: t.id({ description: '`dm_…` or `grp_…`.', resolve: ({ conversation }) => conversation.id }),
    kind: t.string({ description: 'DIRECT or GROUP.', resolve: ({ conversation }) => conversation.kind }),
    title: t.string({
      nullable: true,
      description: 'The title of a group; null for a direct chat.',
      resolve: ({ conversation }) => (conversation.kind === 'GROUP' ? conversation.title : null),
    }),
    metadata: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What backends have put beside the conversation; its members see it.',
      resolve: (conversation, _args, ctx) => conversationMetadataOf(ctx, conversation),
    }),
    members: t.field({
      type: [Member],
      description: 'All members, in the order in which they joined.',
      resolve: (conversation, _args, ctx) => membersOf(ctx, conversation),
    }),
    lastSeq: t.int({
      description: 'The seq of the last entry of its log; 0 if it has none.',
      resolve: (conversation, _args, ctx) => lastSeqOf(ctx, conversation),
    }),
    retentionDays: t.int({
      nullable: true,
      description: 'After how many days messages are removed; null if they are kept.',
      resolve: (conversation, _args, ctx) => retentionDaysOf(ctx, conversation),
    }),
  }),
})

const ConversationEdge = builder.edgeObject({
  type: Conversation,
  name: 'AdminConversationEdge',
  description: 'A conversation at its place.',
})

const ConversationConnection = builder.connectionObject(
  {
    type: Conversation,
    name: 'AdminConversationConnection',
    description: 'A page of conversations, in the order of their ids.',
  },
  ConversationEdge,
)

export const ConversationPayload = builder
  .objectRef<{ conversation: AdminConversation }>('AdminConversationPayload')
  .implement({
    description: 'The answer to what concerns one conversation.',
    fields: (t) => ({
      conversation: t.expose('conversation', { type: Conversation, description: 'The conversation as it is now.' }),
    }),
  })

export const ConversationIdInput = builder.inputType('ConversationIdInput', {
  description: 'A conversation.',
  fields: (t) => ({ conversationId: t.id({ required: true, description: 'The conversation’s id.' }) }),
})

const CreateGroupInput = builder.inputType('AdminCreateGroupInput', {
  description: 'A group to create.',
  fields: (t) => ({
    clientGroupId: t.id({
      required: true,
      description: 'Made before the first attempt; every retry carries the same one. 1 to 64 of A-Z a-z 0-9 . _ : -',
    }),
    title: t.string({ required: true, description: '1 to 100 characters.' }),
    ownerId: t.id({ required: true, description: 'Who becomes its OWNER, as if they had made the group.' }),
    memberIds: t.idList({ required: true, description: 'The other members. A group has at most 1,024 members.' }),
    metadata: t.field({ type: 'JSON', description: 'An object of up to 4 KB as JSON.' }),
  }),
})

const UpdateMembersInput = builder.inputType('AdminUpdateMembersInput', {
  description: 'Who comes into a group and who goes.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: 'The group.' }),
    add: t.idList({ description: 'Who comes in, as a MEMBER. Who is in it already stays as they are.' }),
    remove: t.idList({ description: 'Who goes, the owner too: then the group gets another one.' }),
  }),
})

const UpdateConversationInput = builder.inputType('AdminUpdateConversationInput', {
  description: 'What changes. What is not given stays.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: 'The conversation.' }),
    title: t.string({ description: 'The new title of a group, 1 to 100 characters. A direct chat has none.' }),
    metadata: t.field({
      type: 'JSON',
      description: 'An object of up to 4 KB as JSON. It replaces what was there; null takes it away.',
    }),
  }),
})

builder.queryFields((t) => ({
  conversation: t.field({
    type: Conversation,
    nullable: true,
    description: 'A conversation by its id; null if there is none.',
    args: { id: t.arg.id({ required: true, description: 'The conversation’s id.' }) },
    resolve: (_root, { id }, ctx) => findConversation(ctx, id),
  }),
  conversationsOf: t.field({
    type: ConversationConnection,
    description: 'All conversations of a user, in the order of their ids.',
    args: {
      userId: t.arg.id({ required: true, description: 'The user’s id.' }),
      first: t.arg.int({ description: first }),
      after: t.arg.string({ description: after }),
    },
    resolve: (_root, args, ctx) => conversationsOf(ctx, args),
  }),
}))

builder.mutationFields((t) => ({
  createGroup: t.field({
    type: ConversationPayload,
    description:
      'Creates a group. Idempotent by clientGroupId. It is in no way different from a group that a user makes.',
    args: { input: t.arg({ type: CreateGroupInput, required: true, description: 'The group.' }) },
    resolve: (_root, { input }, ctx) => createGroup(ctx, input),
  }),
  updateMembers: t.field({
    type: ConversationPayload,
    description: 'Adds people to a group and removes people from it. What is fulfilled already changes nothing.',
    args: { input: t.arg({ type: UpdateMembersInput, required: true, description: 'Who.' }) },
    resolve: (_root, { input }, ctx) => updateMembers(ctx, input),
  }),
  updateConversation: t.field({
    type: ConversationPayload,
    description: 'Changes the title of a group, or the metadata of any conversation.',
    args: { input: t.arg({ type: UpdateConversationInput, required: true, description: 'What changes.' }) },
    resolve: (_root, { input }, ctx) => updateConversation(ctx, input),
  }),
}))
