import { messageNodeId } from '../../protocol/ids.ts'
import {
  type AdminMessage,
  type AdminSent,
  deleteMessage,
  kindOf,
  listMessages,
  sendMessage,
} from '../resolvers/messages.ts'
import { after, builder, first } from './builder.ts'

const Message = builder.objectRef<AdminMessage>('AdminMessage').implement({
  description: 'A message, as backends see it.',
  fields: (t) => ({
    id: t.id({ description: 'Starts with `msg_`, the same as in the public API.', resolve: messageNodeId }),
    conversationId: t.exposeID('conversationId', { description: 'The conversation it is in.' }),
    seq: t.exposeInt('seq', { description: 'Its place: 1, 2, 3 …, the same for all readers.' }),
    kind: t.string({ description: 'USER or SYSTEM.', resolve: kindOf }),
    senderId: t.exposeID('senderId', { description: 'Who sent it; of a SYSTEM message, the service.' }),
    clientMessageId: t.exposeID('clientMessageId', { description: 'The sender’s own id for it.' }),
    body: t.exposeString('body', { description: 'The text; empty once it is deleted.' }),
    metadata: t.expose('metadata', {
      type: 'JSON',
      nullable: true,
      description: 'What the sender has put beside the text; null if nothing, and once it is deleted.',
    }),
    sentAt: t.field({
      type: 'DateTime',
      description: 'When it was accepted, or when it was sent elsewhere.',
      resolve: ({ sentAtMs }) => sentAtMs,
    }),
    editedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was last edited.',
      resolve: ({ edited }) => edited?.atMs,
    }),
    deletedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was deleted.',
      resolve: ({ deletedAtMs }) => deletedAtMs,
    }),
  }),
})

const MessageEdge = builder.edgeObject({
  type: Message,
  name: 'AdminMessageEdge',
  description: 'A message at its place.',
})

const MessageConnection = builder.connectionObject(
  { type: Message, name: 'AdminMessageConnection', description: 'A page of messages, newest first.' },
  MessageEdge,
)

const MessagePayload = builder.objectRef<AdminSent>('AdminMessagePayload').implement({
  description: 'The answer to sendMessage and deleteMessage.',
  fields: (t) => ({
    message: t.expose('message', { type: Message, description: 'The message as it is now.' }),
    duplicate: t.exposeBoolean('duplicate', { description: 'Whether an earlier attempt had done it already.' }),
  }),
})

const RecipientInput = builder.inputType('AdminRecipientInput', {
  isOneOf: true,
  description: 'Where a message goes: exactly one of the two.',
  fields: (t) => ({
    conversationId: t.id({ description: 'A conversation. The service need not be in it; whom it sends `as` must be.' }),
    userId: t.id({ description: 'A user: their direct chat with `as`, or else with the service.' }),
  }),
})

const SendMessageInput = builder.inputType('AdminSendMessageInput', {
  description: 'A message to send.',
  fields: (t) => ({
    clientMessageId: t.id({
      required: true,
      description: 'Made before the first attempt; every retry carries the same one. 1 to 64 of A-Z a-z 0-9 . _ : -',
    }),
    to: t.field({ type: RecipientInput, required: true, description: 'Where it goes.' }),
    as: t.id({ description: 'The user who says it. Not given: the service says it in its own name, as SYSTEM.' }),
    body: t.string({ required: true, description: 'The text: 1 to 4,096 characters, at least one of them visible.' }),
    metadata: t.field({ type: 'JSON', description: 'For the app alone: an object of up to 4 KB as JSON.' }),
    sentAt: t.field({
      type: 'DateTime',
      description: 'When it was sent elsewhere, for history that is brought along. It does not change the order.',
    }),
    silent: t.boolean({ defaultValue: false, description: 'Nobody is told by push.' }),
  }),
})

const DeleteMessageInput = builder.inputType('AdminDeleteMessageInput', {
  description: 'A message to delete.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: 'Its conversation.' }),
    seq: t.int({ required: true, description: 'Its seq.' }),
    clientMessageId: t.id({
      required: true,
      description:
        'An id of this deletion, from the same supply as those of messages; every retry carries the same one.',
    }),
  }),
})

builder.queryField('messages', (t) =>
  t.field({
    type: MessageConnection,
    description: 'Messages of a conversation, newest first, from its very beginning; deleted ones are shown as such.',
    args: {
      conversationId: t.arg.id({ required: true, description: 'The conversation.' }),
      aroundSeq: t.arg.int({
        description: 'A page with the message at this seq, or its place, in the middle. It goes with `first` alone.',
      }),
      first: t.arg.int({ description: first }),
      after: t.arg.string({ description: after }),
      last: t.arg.int({ description: 'So many from the end of the list, 1 to 100. Not together with first.' }),
      before: t.arg.string({ description: 'Only what comes before this cursor in the list.' }),
    },
    resolve: (_root, args, ctx) => listMessages(ctx, args),
  }),
)

builder.mutationFields((t) => ({
  sendMessage: t.field({
    type: MessagePayload,
    description: 'Sends in the service’s own name, or for a user. Idempotent by clientMessageId like every send.',
    args: { input: t.arg({ type: SendMessageInput, required: true, description: 'The message.' }) },
    resolve: (_root, { input }, ctx) => sendMessage(ctx, input),
  }),
  deleteMessage: t.field({
    type: MessagePayload,
    description: 'Deletes anybody’s message, for good and for everybody. Idempotent by clientMessageId.',
    args: { input: t.arg({ type: DeleteMessageInput, required: true, description: 'Which.' }) },
    resolve: (_root, { input }, ctx) => deleteMessage(ctx, input),
  }),
}))
