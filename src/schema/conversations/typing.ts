import type { Typing as TypingSource } from '../../ports/events.ts'
import { setTyping, typingChanged } from '../../resolvers/conversations/typing.ts'
import { builder } from '../builder.ts'
import { User } from '../people/user.ts'

const Typing = builder.objectRef<TypingSource>('Typing').implement({
  description: 'Somebody is writing, or has stopped. Never stored.',
  fields: (t) => ({
    conversationId: t.exposeID('conversationId', { description: 'Where.' }),
    userId: t.exposeID('userId', { description: 'The id of who.' }),
    user: t.field({ type: User, description: 'Who.', resolve: ({ userId }) => ({ id: userId }) }),
    typing: t.exposeBoolean('typing', { description: 'False once they have stopped, sent, or fallen silent.' }),
  }),
})

const SetTypingInput = builder.inputType('SetTypingInput', {
  description: 'Whether the caller is writing.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: 'Where.' }),
    typing: t.boolean({
      required: true,
      description: 'True every few seconds while they write, at most once in two is passed on; false when they stop.',
    }),
  }),
})

const SetTypingPayload = builder.objectRef<{ ok: boolean }>('SetTypingPayload').implement({
  description: 'The answer to setTyping.',
  fields: (t) => ({ ok: t.exposeBoolean('ok', { description: 'Always true.' }) }),
})

builder.mutationField('setTyping', (t) =>
  t.field({
    type: SetTypingPayload,
    description: 'Tells the others that the caller is writing. It fades by itself after six seconds.',
    args: { input: t.arg({ type: SetTypingInput, required: true, description: 'Where, and whether.' }) },
    resolve: (_root, { input }, ctx) => setTyping(ctx, input),
  }),
)

builder.subscriptionField('typingChanged', (t) =>
  t.field({
    type: Typing,
    description: 'Who of the others starts and stops writing in a conversation.',
    args: { conversationId: t.arg.id({ required: true, description: 'The conversation.' }) },
    subscribe: (_root, args, ctx) => typingChanged(ctx, args),
    resolve: (typing) => typing,
  }),
)
