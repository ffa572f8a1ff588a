import { sameForAllWhere } from '../../engine/graphql/sharing.ts'
import { isBlockedByViewer } from '../../resolvers/people/blocking.ts'
import { presenceOf } from '../../resolvers/people/presence.ts'
import {
  avatarUrlOf,
  findUser,
  isKnown,
  nameOf,
  type User as UserSource,
  userMetadataOf,
  viewer,
} from '../../resolvers/people/users.ts'
import { builder } from '../builder.ts'
import { Presence } from './presence.ts'

export const User = builder.objectRef<UserSource>('User')

builder.node(User, {
  description: 'Somebody with a token. Shown to whoever shares a conversation with them.',
  id: { resolve: (user) => user.id, description: 'The `sub` of their token, as it is.' },
  loadWithoutCache: (id, ctx) => findUser(ctx, id),
  fields: (t) => ({
    name: t.string({
      nullable: true,
      description:
        'The name they chose with updateProfile, otherwise the `name` of the last token they came with; null if none had one. ' +
        'A new one is seen everywhere within a minute.',
      ...sameForAllWhere(isKnown),
      resolve: (user, _args, ctx) => nameOf(ctx, user),
    }),
    avatarUrl: t.string({
      nullable: true,
      description: 'The address of the picture they chose with updateProfile; null if they chose none.',
      ...sameForAllWhere(isKnown),
      resolve: (user, _args, ctx) => avatarUrlOf(ctx, user),
    }),
    metadata: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the app’s backend has put beside their profile; null if nothing.',
      ...sameForAllWhere(isKnown),
      resolve: (user, _args, ctx) => userMetadataOf(ctx, user),
    }),
    blocked: t.boolean({
      description:
        'Whether the viewer has blocked them, see setBlocked. Apps hide what they say in groups, and show it on demand; no banner shows it.',
      resolve: (user, _args, ctx) => isBlockedByViewer(ctx, user),
    }),
    presence: t.field({
      type: Presence,
      nullable: true,
      description:
        'Whether they are here. Null for whom the viewer shares no conversation with, and while that cannot be found out.',
      resolve: (user, _args, ctx) => presenceOf(ctx, user),
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
