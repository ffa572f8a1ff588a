import type { AdminUser } from '../resolvers/users.ts'
import { findUser, upsertUsers } from '../resolvers/users.ts'
import { builder } from './builder.ts'

export const User = builder.objectRef<AdminUser>('AdminUser').implement({
  description: 'A user, as backends see them.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The `sub` of the user’s tokens.' }),
    name: t.exposeString('name', {
      nullable: true,
      description:
        'The name that others see: what the user or a backend has set, else that of the last token that had one.',
    }),
    avatarUrl: t.exposeString('avatarUrl', { nullable: true, description: 'The address of the picture.' }),
    metadata: t.expose('metadata', {
      type: 'JSON',
      nullable: true,
      description: 'What backends have put beside the user; everybody who sees the user sees it.',
    }),
    bannedUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the ban ends; null for nobody who is banned, and for a ban for good.',
      resolve: ({ bannedUntilMs }) => bannedUntilMs,
    }),
    banned: t.exposeBoolean('banned', { description: 'Whether the user is refused everywhere at this moment.' }),
    erasedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the user was erased.',
      resolve: ({ erasedAtMs }) => erasedAtMs,
    }),
    lastSeenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the last session ended; null while one stands, and for somebody who never had one.',
      resolve: ({ lastSeenAtMs }) => lastSeenAtMs,
    }),
  }),
})

export const UserPayload = builder.objectRef<{ user: AdminUser }>('AdminUserPayload').implement({
  description: 'The answer to what concerns one user.',
  fields: (t) => ({ user: t.expose('user', { type: User, description: 'The user as they are now.' }) }),
})

export const UserIdInput = builder.inputType('UserIdInput', {
  description: 'A user.',
  fields: (t) => ({ userId: t.id({ required: true, description: 'The user’s id.' }) }),
})

const UpsertUserInput = builder.inputType('UpsertUserInput', {
  description: 'A user as they should be. What is not given stays; null takes it away.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The `sub` of the user’s tokens. The user need not have come yet.' }),
    name: t.string({ description: 'The name that others see, 1 to 100 characters.' }),
    avatarUrl: t.string({ description: 'An https URL of a picture.' }),
    metadata: t.field({ type: 'JSON', description: 'An object of up to 4 KB as JSON. It replaces what was there.' }),
  }),
})

const UpsertUsersInput = builder.inputType('UpsertUsersInput', {
  description: 'Users as they should be.',
  fields: (t) => ({
    users: t.field({ type: [UpsertUserInput], required: true, description: '1 to 100 different users.' }),
  }),
})

const UpsertUsersPayload = builder.objectRef<{ users: AdminUser[] }>('UpsertUsersPayload').implement({
  description: 'The answer to upsertUsers.',
  fields: (t) => ({ users: t.expose('users', { type: [User], description: 'The users, in the order given.' }) }),
})

builder.queryField('user', (t) =>
  t.field({
    type: User,
    nullable: true,
    description: 'A user by their id; null for somebody who has no profile, was never here and is not banned.',
    args: { id: t.arg.id({ required: true, description: 'The user’s id.' }) },
    resolve: (_root, { id }, ctx) => findUser(ctx, id),
  }),
)

builder.mutationField('upsertUsers', (t) =>
  t.field({
    type: UpsertUsersPayload,
    description: 'Makes users or changes them. Each is written by itself: after an error, call it again as it is.',
    args: { input: t.arg({ type: UpsertUsersInput, required: true, description: 'The users.' }) },
    resolve: (_root, { input }, ctx) => upsertUsers(ctx, input),
  }),
)
