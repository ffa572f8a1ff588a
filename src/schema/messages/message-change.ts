import type { ShownChange } from '../../domain/streams/follow-changes.ts'
import type { Message as MessageSource } from '../../ports/log.ts'
import { deleteMessage, editMessage, messageChanged, react } from '../../resolvers/messages/change-message.ts'
import { builder } from '../builder.ts'
import { afterDescription, deviceIdDescription, PositionInput } from './message.ts'
import { Message } from './message-connection.ts'

const MessagePayload = builder.objectRef<{ message: MessageSource }>('MessagePayload').implement({
  description: 'A message after it was changed.',
  fields: (t) => ({ message: t.expose('message', { type: Message, description: 'The message as it is now.' }) }),
})

const target = {
  conversationId: 'The conversation.',
  seq: 'The seq of the message.',
  clientMessageId:
    'Made on the device before the first attempt, from the same supply as those of messages; every retry carries the same one.',
}

const EditMessageInput = builder.inputType('EditMessageInput', {
  description: 'A new text for a message.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: target.conversationId }),
    seq: t.int({ required: true, description: target.seq }),
    clientMessageId: t.id({ required: true, description: target.clientMessageId }),
    body: t.string({ required: true, description: 'The new text, by the same rules as the first.' }),
  }),
})

const DeleteMessageInput = builder.inputType('DeleteMessageInput', {
  description: 'A message to delete.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: target.conversationId }),
    seq: t.int({ required: true, description: target.seq }),
    clientMessageId: t.id({ required: true, description: target.clientMessageId }),
  }),
})

const ReactInput = builder.inputType('ReactInput', {
  description: 'A reaction to give or to take back.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: target.conversationId }),
    seq: t.int({ required: true, description: target.seq }),
    clientMessageId: t.id({ required: true, description: target.clientMessageId }),
    emoji: t.string({ required: true, description: 'Exactly one emoji.' }),
    on: t.boolean({ required: true, description: 'True to react, false to take it back.' }),
  }),
})

builder.mutationField('editMessage', (t) =>
  t.field({
    type: MessagePayload,
    description: 'Gives one of the viewer’s own messages another text. Takes a seq in the conversation’s log.',
    args: { input: t.arg({ type: EditMessageInput, required: true, description: 'The edit.' }) },
    resolve: (_root, { input }, ctx) => editMessage(ctx, input),
  }),
)

builder.mutationField('deleteMessage', (t) =>
  t.field({
    type: MessagePayload,
    description: 'Deletes one of the viewer’s own messages: it keeps its place, not its body.',
    args: { input: t.arg({ type: DeleteMessageInput, required: true, description: 'The deletion.' }) },
    resolve: (_root, { input }, ctx) => deleteMessage(ctx, input),
  }),
)

builder.mutationField('react', (t) =>
  t.field({
    type: MessagePayload,
    description: 'Reacts to a message with an emoji, or takes that back.',
    args: { input: t.arg({ type: ReactInput, required: true, description: 'The reaction.' }) },
    resolve: (_root, { input }, ctx) => react(ctx, input),
  }),
)

const MessageChangedPayload = builder.objectRef<ShownChange>('MessageChangedPayload').implement({
  description: 'An event of messageChanged.',
  fields: (t) => ({
    message: t.expose('message', { type: Message, description: 'The message, showing this change or a later one.' }),
    seq: t.exposeInt('seq', { description: 'The place of the change itself in the log.' }),
    previousSeq: t.exposeInt('previousSeq', {
      description: 'The seq of the change before this one in this stream, or where the stream began.',
    }),
    catchUp: t.exposeBoolean('catchUp', { description: 'Whether it was missed, or is live.' }),
  }),
})

builder.subscriptionField('messageChanged', (t) =>
  t.field({
    type: MessageChangedPayload,
    description:
      'Edits, deletions and reactions; they take a seq in the same log, so a device that was offline gets them too: `after` ' +
      'says what it already holds. A conversation it does not name starts at what the viewer’s devices have acked.',
    args: {
      conversationId: t.arg.id({ description: 'Only this conversation.' }),
      after: t.arg({ type: [PositionInput], description: afterDescription }),
      deviceId: t.arg.id({ description: deviceIdDescription }),
    },
    subscribe: (_root, args, ctx) => messageChanged(ctx, args),
    resolve: (shown) => shown,
  }),
)
