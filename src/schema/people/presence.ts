import type { Seen } from '../../ports/soft-state.ts'
import { stateOf } from '../../resolvers/people/presence.ts'
import { builder } from '../builder.ts'

const PresenceState = builder.enumType('PresenceState', {
  description: 'How somebody is here. Several devices count as one: the first of these that holds for any of them.',
  values: {
    ONLINE: { description: 'A device follows messageAdded and has caught up.' },
    SYNCING: { description: 'A device has come and is still being sent what it missed.' },
    OFFLINE: { description: 'No device follows messageAdded. After a crash, up to 35 seconds late.' },
  } as const,
})

export const Presence = builder.objectRef<Seen>('Presence').implement({
  description: 'Whether somebody is here, and if not, since when. Kept in Redis alone: it may be forgotten.',
  fields: (t) => ({
    state: t.field({ type: PresenceState, description: 'How they are here.', resolve: stateOf }),
    lastSeenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When their last device went. Null while one is here, and where none was seen in the last 30 days.',
      resolve: ({ lastSeenAtMs }) => lastSeenAtMs,
    }),
  }),
})
