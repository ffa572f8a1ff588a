import { builder } from '../builder.ts'

export const MessageKind = builder.enumType('MessageKind', {
  description: 'Who speaks in a message.',
  values: {
    USER: { description: 'Said by a person.' },
    SYSTEM: { description: 'Said by the app’s backend.' },
    NOTICE: { description: 'A change of the group, shown only where `notices` is asked for; never counted as unread.' },
  } as const,
})
