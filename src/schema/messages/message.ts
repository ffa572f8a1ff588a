import type { MessageOrNotice } from '../../domain/conversations/notices.ts'
import type { Sent } from '../../domain/sending/send.ts'
import type { Shown } from '../../domain/streams/positions.ts'
import { sameForAll, sameForAllWhere, sameForOthers, sharedEvents } from '../../engine/graphql/sharing.ts'
import { messageNodeId } from '../../protocol/ids.ts'
import { reactingUsersDefault } from '../../protocol/limits.ts'
import { requireConversation } from '../../resolvers/conversations/conversations.ts'
import { attachmentsOf } from '../../resolvers/messages/attachments.ts'
import { type ReactionCount, reactingUsers, reactionsOf, repliedTo } from '../../resolvers/messages/change-message.ts'
import { messageAdded } from '../../resolvers/messages/message-added.ts'
import {
  clientMessageIdFor,
  cursorOf,
  edgeOf,
  findMessage,
  kindOf,
  listMessages,
  tickOfMessage,
} from '../../resolvers/messages/messages.ts'
import { senderOf } from '../../resolvers/messages/notice-users.ts'
import { sendMessage } from '../../resolvers/messages/send-message.ts'
import { builder } from '../builder.ts'
import { Conversation } from '../conversations/conversation.ts'
import { User } from '../people/user.ts'
import { Attachment } from './attachment.ts'
import { GroupNotice } from './group-notice.ts'
import {
  aroundSeqDescription,
  Message,
  MessageConnection,
  MessageEdge,
  noticesDescription,
} from './message-connection.ts'
import { MessageKind } from './message-kind.ts'

const Tick = builder.enumType('Tick', {
  description: 'How far a message has got with the other members; in a group, with the slowest of them.',
  values: {
    SENT: { description: 'Stored: it will not be lost. One tick.' },
    DELIVERED: { description: 'A device of every other member has it. Two ticks.' },
    READ: { description: 'Every other member has read it. Two blue ticks.' },
  } as const,
})

const Reaction = builder.objectRef<ReactionCount>('Reaction').implement({
  description: 'An emoji people have reacted with.',
  fields: (t) => ({
    emoji: t.exposeString('emoji', { description: 'The emoji.' }),
    count: t.exposeInt('count', { description: 'How many people.' }),
    viewerReacted: t.exposeBoolean('viewerReacted', { description: 'Whether the viewer is one of them.' }),
    users: t.field({
      type: [User],
      description: 'Who reacted with it, in the order they did.',
      args: {
        first: t.arg.int({ defaultValue: reactingUsersDefault, description: 'The first so many of them, 1 to 100.' }),
      },
      resolve: (reaction, { first }) => reactingUsers(reaction, first),
    }),
  }),
})

builder.node(Message, {
  description: 'A message in a conversation. Once stored it never changes its place.',
  id: { resolve: messageNodeId, description: 'Starts with `msg_` and leads to its row in one read.' },
  loadWithoutCache: (id, ctx) => findMessage(ctx, id),
  fields: (t) => ({
    conversationId: t.exposeID('conversationId', { description: 'The id of its conversation.', ...sameForAll }),
    conversation: t.field({
      type: Conversation,
      description: 'Its conversation.',
      resolve: ({ conversationId }, _args, ctx) => requireConversation(ctx, conversationId),
    }),
    cursor: t.string({
      description: 'Its cursor, the same as in its edge: pages can begin here.',
      ...sameForAll,
      resolve: (message, _args, ctx) => cursorOf(ctx, message),
    }),
    kind: t.field({ type: MessageKind, description: 'Who speaks.', ...sameForAll, resolve: kindOf }),
    seq: t.exposeInt('seq', {
      description: 'Its place: 1, 2, 3 …, the same for all readers. A number that is missing stays missing.',
      ...sameForAll,
    }),
    messageId: t.exposeString('messageId', { description: 'A Snowflake, as a decimal string.', ...sameForAll }),
    clientMessageId: t.id({
      nullable: true,
      description: "The sender's own id for it; null for everybody else.",
      ...sameForOthers,
      resolve: (message, _args, ctx) => clientMessageIdFor(ctx, message),
    }),
    sender: t.field({
      type: User,
      description: 'Who sent it.',
      ...sameForAll,
      resolve: (message, _args, ctx) => senderOf(ctx, message),
    }),
    body: t.exposeString('body', {
      description: 'The text, byte for byte as it was sent or last edited; empty once it is deleted.',
      ...sameForAll,
    }),
    sentAt: t.field({
      type: 'DateTime',
      description: 'When it was accepted.',
      ...sameForAll,
      resolve: ({ sentAtMs }) => sentAtMs,
    }),
    metadata: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the sender’s app has put beside the text; null if nothing, and once it is deleted.',
      ...sameForAll,
      resolve: ({ metadata }) => metadata,
    }),
    notice: t.expose('notice', {
      type: GroupNotice,
      nullable: true,
      description: 'Of a NOTICE: what happened to the group. Its body is empty.',
      ...sameForAll,
    }),
    attachments: t.field({
      type: [Attachment],
      description: 'Its files, in the order they were sent; none once it is deleted.',
      ...sameForAllWhere(({ attachments }: MessageOrNotice) => !attachments?.length),
      resolve: (message, _args, ctx) => attachmentsOf(ctx, message),
    }),
    replyTo: t.field({
      type: Message,
      nullable: true,
      description: 'The message it answers, as that is now.',
      ...sameForAllWhere(({ replyToSeq }: MessageOrNotice) => replyToSeq === undefined),
      resolve: (message, _args, ctx) => repliedTo(ctx, message),
    }),
    reactions: t.field({
      type: [Reaction],
      description: 'In the order the emoji first came up.',
      ...sameForAllWhere(({ reactions }: MessageOrNotice) => !reactions?.length),
      resolve: (message, _args, ctx) => reactionsOf(ctx, message),
    }),
    editedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was last edited; null if never.',
      ...sameForAll,
      resolve: ({ edited }) => edited?.atMs,
    }),
    deletedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was deleted. It keeps its place, not its body.',
      ...sameForAll,
      resolve: ({ deletedAtMs }) => deletedAtMs,
    }),
    tick: t.field({
      type: Tick,
      description: "How far it has got, derived from the other members' boundaries.",
      ...sameForAll,
      resolve: (message, _args, ctx) => tickOfMessage(ctx, message),
    }),
  }),
})

builder.queryField('messages', (t) =>
  t.field({
    type: MessageConnection,
    description:
      'Newest first. `first`/`after` walk to older messages, `last`/`before` back to newer. No cursor: start at the newest.',
    args: {
      conversationId: t.arg.id({ required: true, description: 'The conversation.' }),
      aroundSeq: t.arg.int({ description: aroundSeqDescription }),
      notices: t.arg.boolean({ defaultValue: false, description: noticesDescription }),
      ...t.arg.connectionArgs(),
    },
    resolve: (_root, args, ctx) => listMessages(ctx, args),
  }),
)

const RecipientInput = builder.inputType('RecipientInput', {
  isOneOf: true,
  description: 'Where a message goes: exactly one of the two.',
  fields: (t) => ({
    userId: t.id({
      description: 'A user: the direct chat with them, made by its first message. Oneself: notes to self.',
    }),
    conversationId: t.id({ description: 'A conversation of the sender.' }),
  }),
})

const SendMessageInput = builder.inputType('SendMessageInput', {
  description: 'A message to send.',
  fields: (t) => ({
    clientMessageId: t.id({
      required: true,
      description:
        'Made on the device before the first attempt; every retry carries the same one. 1 to 64 of A-Z a-z 0-9 . _ : -',
    }),
    to: t.field({ type: RecipientInput, required: true, description: 'Where it goes.' }),
    body: t.string({
      required: true,
      description: 'The text: 1 to 4,096 characters, at least one of them visible. With attachments it may be empty.',
    }),
    attachmentIds: t.idList({
      description:
        'Up to 10 different uploads of the sender’s own, made by `createUpload` within the last 24 hours and uploaded; each ' +
        'goes with one message only.',
    }),
    replyToSeq: t.int({ description: 'The seq of the message it answers, in the same conversation.' }),
    metadata: t.field({
      type: 'JSON',
      description:
        'For the app alone: an object of up to 4 KB as JSON, shown with the message as `metadata`. A retry carries the same.',
    }),
  }),
})

const SendMessagePayload = builder.objectRef<Sent>('SendMessagePayload').implement({
  description: 'The answer to sendMessage.',
  fields: (t) => ({
    message: t.expose('message', { type: Message, description: 'The message as it is stored.' }),
    messageEdge: t.field({
      type: MessageEdge,
      description: 'The message at its place, for a list that is shown already.',
      resolve: ({ message }, _args, ctx) => edgeOf(ctx, message),
    }),
    duplicate: t.exposeBoolean('duplicate', { description: 'Whether an earlier attempt had stored it already.' }),
  }),
})

builder.mutationField('sendMessage', (t) =>
  t.field({
    type: SendMessagePayload,
    description:
      'Sends a message. Answers only when it is stored. A retry with the same clientMessageId, at whatever age, gets the ' +
      'original message and never makes a second one.',
    args: { input: t.arg({ type: SendMessageInput, required: true, description: 'The message.' }) },
    resolve: (_root, { input }, ctx) => sendMessage(ctx, input),
  }),
)

export const afterDescription =
  'Where to resume, up to 1,000 conversations. Those that the viewer is not in are ignored.'
export const deviceIdDescription =
  'Made on the device, and kept there: 1 to 64 of A-Z a-z 0-9 . _ : - With it, the server keeps what this device has acked with the ' +
  'same deviceId, and the stream resumes there, always with the same variables. Conversations that `after` names resume where it says. ' +
  'Of more than 20 devices of one user, those that were used longest ago are forgotten.'

export const PositionInput = builder.inputType('PositionInput', {
  description: 'What a device already holds of a conversation.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: 'The conversation.' }),
    seq: t.int({ required: true, description: 'The device has everything up to and including this; 0 for nothing.' }),
  }),
})

/** All streams of this node get a live message as the same object, and mostly after the same previous one. */
const sharedAnswerKeyOf = ({ row, previousSeq, catchUp }: Shown<MessageOrNotice>) =>
  catchUp ? undefined : { source: row, variant: previousSeq, exceptViewerId: row.senderId }

const MessageAddedPayload = builder.objectRef<Shown<MessageOrNotice>>('MessageAddedPayload').implement({
  description: 'An event of messageAdded.',
  fields: (t) => ({
    message: t.expose('row', { type: Message, description: 'The message.', ...sameForAll }),
    messageEdge: t.field({
      type: MessageEdge,
      description: 'The message at its place, for a list that is shown already.',
      ...sameForAll,
      resolve: ({ row }, _args, ctx) => edgeOf(ctx, row),
    }),
    cursor: t.string({
      description: 'Its cursor, usable in `messages`.',
      ...sameForAll,
      resolve: ({ row }, _args, ctx) => cursorOf(ctx, row),
    }),
    previousSeq: t.exposeInt('previousSeq', {
      description:
        'The seq before this one in this stream (0 at the start of a conversation). If it is not the last one the client ' +
        'has, something is missing; numbers skipped between the two are not.',
      ...sameForAll,
    }),
    catchUp: t.exposeBoolean('catchUp', { description: 'Whether it was missed, or is live.', ...sameForAll }),
  }),
})

builder.subscriptionField('messageAdded', (t) =>
  t.field({
    type: MessageAddedPayload,
    description:
      'First what the viewer has missed (catchUp: true), then live messages; in seq order within each conversation, each ' +
      'exactly once. Without a conversationId: all the viewer’s conversations, those created later included. `after` says ' +
      'what this device already holds; a conversation it does not name starts at what the server knows to be undelivered. ' +
      'The viewer’s own messages are included (their other devices need them).',
    args: {
      conversationId: t.arg.id({ description: 'Only this conversation.' }),
      after: t.arg({ type: [PositionInput], description: afterDescription }),
      deviceId: t.arg.id({ description: deviceIdDescription }),
      notices: t.arg.boolean({ defaultValue: false, description: noticesDescription }),
    },
    ...sharedEvents(sharedAnswerKeyOf),
    subscribe: (_root, args, ctx) => messageAdded(ctx, args),
    resolve: (shown) => shown,
  }),
)
