import { presenceChanged, watchedUser } from '../../resolvers/people/presence.ts'
import { builder } from '../builder.ts'
import { User } from './user.ts'

builder.subscriptionField('presenceChanged', (t) =>
  t.field({
    type: User,
    description:
      'First each of these users as they appear now, then each change of their `presence` once. Whom the viewer shares no ' +
      'conversation with is never shown, exactly as who does not exist. A crash is noticed within 35 seconds.',
    args: {
      userIds: t.arg.idList({ required: true, description: 'Whom to watch, at most 100.' }),
    },
    subscribe: (_root, args, ctx) => presenceChanged(ctx, args),
    resolve: watchedUser,
  }),
)
