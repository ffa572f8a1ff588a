import {
  isArchived,
  isPinned,
  mutedUntilOf,
  updateConversation,
} from '../../resolvers/conversations/conversation-settings.ts'
import { builder } from '../builder.ts'
import { Conversation, ConversationPayload } from './conversation.ts'

builder.objectFields(Conversation, (t) => ({
  mutedUntil: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Until when the viewer wants no notice of it; null if they do, or do again. Nobody else sees it.',
    resolve: (member, _args, ctx) => mutedUntilOf(ctx, member),
  }),
  pinned: t.boolean({
    description:
      'Whether the viewer has pinned it. Nobody else sees it, and it does not change the order of `conversations`.',
    resolve: (member, _args, ctx) => isPinned(ctx, member),
  }),
  archived: t.boolean({
    description:
      'Whether the viewer has put it aside. Nobody else sees it, and it stays in `conversations` at its place.',
    resolve: (member, _args, ctx) => isArchived(ctx, member),
  }),
}))

const UpdateConversationInput = builder.inputType('UpdateConversationInput', {
  description: 'What to change of a conversation. What is left out stays as it is.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: 'The conversation.' }),
    title: t.string({
      description:
        'A group’s new title, for everybody: 1 to 100 characters in one line, at least one of them visible. A direct chat has none.',
    }),
    mutedUntil: t.field({
      type: 'DateTime',
      description: 'For the caller alone: no notice until then. Null, or a moment that has passed, ends it.',
    }),
    pinned: t.boolean({ description: 'For the caller alone: true or false, not null.' }),
    archived: t.boolean({ description: 'For the caller alone: true or false, not null.' }),
  }),
})

builder.mutationField('updateConversation', (t) =>
  t.field({
    type: ConversationPayload,
    description:
      'Changes a conversation: its title for everybody, the rest for the caller alone, on all their devices. Doing it again ' +
      'changes nothing more.',
    args: { input: t.arg({ type: UpdateConversationInput, required: true, description: 'What to change.' }) },
    resolve: (_root, { input }, ctx) => updateConversation(ctx, input),
  }),
)
