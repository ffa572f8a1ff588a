import { type Blocked, setBlocked } from '../../resolvers/people/blocking.ts'
import { builder } from '../builder.ts'

const SetBlockedInput = builder.inputType('SetBlockedInput', {
  description: 'Whom to block, or to block no longer.',
  fields: (t) => ({
    userId: t.id({ required: true, description: 'Whom. Not oneself.' }),
    blocked: t.boolean({ required: true, description: 'True to block, false to block no longer.' }),
  }),
})

const SetBlockedPayload = builder.objectRef<Blocked>('SetBlockedPayload').implement({
  description: 'The answer to setBlocked: as it is from now on.',
  fields: (t) => ({
    userId: t.exposeID('userId', { description: 'Whom.' }),
    blocked: t.exposeBoolean('blocked', { description: 'Whether they are blocked.' }),
  }),
})

builder.mutationField('setBlocked', (t) =>
  t.field({
    type: SetBlockedPayload,
    description:
      'Keeps somebody from writing to the viewer in their direct chat, edits and reactions included: it fails with FORBIDDEN, in ' +
      'words that tell nothing of a block. Nor can they add the viewer to a group; in groups that both are in, see User.blocked. ' +
      'To them the viewer appears OFFLINE, never seen.',
    args: { input: t.arg({ type: SetBlockedInput, required: true, description: 'Whom, and whether.' }) },
    resolve: (_root, { input }, ctx) => setBlocked(ctx, input),
  }),
)
