import type { Notice } from '../../domain/conversations/notices.ts'
import { sameForAll } from '../../engine/graphql/sharing.ts'
import { actorOf, usersOf } from '../../resolvers/messages/notice-users.ts'
import { builder } from '../builder.ts'
import { User } from '../people/user.ts'

const GroupNoticeKind = builder.enumType('GroupNoticeKind', {
  description:
    'What a notice is of. A change that does several things at once is shown as the first of these that it does.',
  values: {
    CREATED: { description: 'The actor made the group; `users` are the others who are in it, `title` is its title.' },
    MEMBERS_ADDED: { description: 'The actor added `users`.' },
    MEMBERS_REMOVED: { description: 'The actor removed `users`.' },
    MEMBER_LEFT: { description: 'The actor, who is also in `users`, left by themselves.' },
    ROLES_CHANGED: { description: 'The actor gave `users` other roles.' },
    TITLE_CHANGED: { description: 'The actor changed the title to `title`.' },
  } as const,
})

export const GroupNotice = builder.objectRef<Notice>('GroupNotice').implement({
  description: 'A change of a group.',
  fields: (t) => ({
    kind: t.expose('kind', { type: GroupNoticeKind, description: 'What happened.', ...sameForAll }),
    actor: t.field({
      type: User,
      description: 'Who did it.',
      ...sameForAll,
      resolve: (notice, _args, ctx) => actorOf(ctx, notice),
    }),
    users: t.field({
      type: [User],
      description: 'Whom it was done to.',
      ...sameForAll,
      resolve: (notice, _args, ctx) => usersOf(ctx, notice),
    }),
    title: t.exposeString('title', {
      nullable: true,
      description: 'The title that the group got; null unless it was created or renamed.',
      ...sameForAll,
    }),
  }),
})
