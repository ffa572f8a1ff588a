import { listBlockedUsers } from '../../resolvers/people/blocked-users.ts'
import { builder } from '../builder.ts'
import { User } from './user.ts'

const UserConnection = builder.connectionObject(
  { type: User, name: 'UserConnection', description: 'A page of users.' },
  { name: 'UserEdge', description: 'A user at their place.' },
)

builder.queryField('blockedUsers', (t) =>
  t.field({
    type: UserConnection,
    description:
      'Whom the viewer has blocked, in the order of their ids. Of those the viewer shares no conversation with, nothing but the id is shown.',
    args: t.arg.connectionArgs(),
    resolve: (_root, args, ctx) => listBlockedUsers(ctx, args),
  }),
)
