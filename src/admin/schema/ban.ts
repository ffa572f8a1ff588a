import { banUser, revokeTokens, unbanUser } from '../resolvers/bans.ts'
import { builder } from './builder.ts'
import { UserIdInput, UserPayload } from './user.ts'

const BanUserInput = builder.inputType('BanUserInput', {
  description: 'A ban.',
  fields: (t) => ({
    userId: t.id({ required: true, description: 'The user’s id.' }),
    until: t.field({ type: 'DateTime', description: 'When the ban ends. Null: it is for good.' }),
  }),
})

const RevokeTokensInput = builder.inputType('RevokeTokensInput', {
  description: 'Tokens that count no more.',
  fields: (t) => ({
    userId: t.id({ required: true, description: 'The user’s id.' }),
    issuedBefore: t.field({
      type: 'DateTime',
      required: true,
      description: 'Tokens with an earlier `iat`, and tokens without one, are refused.',
    }),
  }),
})

builder.mutationFields((t) => ({
  banUser: t.field({
    type: UserPayload,
    description: 'Refuses the user everywhere until then, and closes their sockets, on all nodes within a second.',
    args: { input: t.arg({ type: BanUserInput, required: true, description: 'The ban.' }) },
    resolve: (_root, { input }, ctx) => banUser(ctx, input),
  }),
  unbanUser: t.field({
    type: UserPayload,
    description: 'Ends a ban.',
    args: { input: t.arg({ type: UserIdInput, required: true, description: 'The user.' }) },
    resolve: (_root, { input }, ctx) => unbanUser(ctx, input),
  }),
  revokeTokens: t.field({
    type: UserPayload,
    description: 'Refuses tokens that were issued before, and closes their sockets, on all nodes within a second.',
    args: { input: t.arg({ type: RevokeTokensInput, required: true, description: 'The tokens.' }) },
    resolve: (_root, { input }, ctx) => revokeTokens(ctx, input),
  }),
}))
