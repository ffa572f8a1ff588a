import { type User as UserSource, updateProfile } from '../../resolvers/people/users.ts'
import { builder } from '../builder.ts'
import { User } from './user.ts'

const UpdateProfileInput = builder.inputType('UpdateProfileInput', {
  description: 'How the viewer is shown to others. What is not given stays as it is.',
  fields: (t) => ({
    name: t.string({
      description:
        'A name of 1 to 100 characters in one line, at least one of them visible. It comes before the name of any token; null brings that back.',
    }),
    avatarUrl: t.string({
      description: 'The address of a picture: a whole https URL of up to 2,048 characters. Null takes it away.',
    }),
  }),
})

const UpdateProfilePayload = builder.objectRef<{ user: UserSource }>('UpdateProfilePayload').implement({
  description: 'The answer to updateProfile.',
  fields: (t) => ({
    user: t.field({
      type: User,
      description: 'The viewer, as they are shown from now on.',
      resolve: ({ user }) => user,
    }),
  }),
})

builder.mutationField('updateProfile', (t) =>
  t.field({
    type: UpdateProfilePayload,
    description: 'Changes the viewer’s own name and picture.',
    args: { input: t.arg({ type: UpdateProfileInput, required: true, description: 'What to change.' }) },
    resolve: (_root, { input }, ctx) => updateProfile(ctx, input),
  }),
)
