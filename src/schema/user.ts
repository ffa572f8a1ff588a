import { findUser, type User as UserSource, viewer } from '../resolvers/users.ts'
import { builder } from './builder.ts'

export const User = builder.objectRef<UserSource>('User')

builder.node(User, {
  description: 'Somebody with a token. Shown to whoever shares a conversation with them.',
  id: { resolve: (user) => user.id, description: 'The `sub` of their token, as it is.' },
  loadWithoutCache: (id, ctx) => findUser(ctx, id),
  fields: (t) => ({
    name: t.string({
      nullable: true,
      description: 'The `name` of the last token they came with; null if none had one.',
      resolve: ({ id }, _args, ctx) => ctx.loaders.names.load(id),
    }),
  }),
})

builder.queryField('viewer', (t) =>
  t.field({
    type: User,
    description: 'Whose token this is.',
    resolve: (_root, _args, ctx) => viewer(ctx),
  }),
)
