import { type AdminEvent, type EventPage as Page, readEvents, shown, watchEvents } from '../resolvers/events.ts'
import { builder } from './builder.ts'

export const Event = builder.objectRef<AdminEvent>('Event').implement({
  description: 'Something that happened.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Never changes, however often the event is delivered.' }),
    type: t.exposeString('type', { description: 'What happened, such as message.sent.' }),
    occurredAt: t.field({
      type: 'DateTime',
      description: 'When it happened.',
      resolve: ({ occurredAtMs }) => occurredAtMs,
    }),
    conversationId: t.exposeID('conversationId', { nullable: true, description: 'In which conversation.' }),
    seq: t.exposeInt('seq', { nullable: true, description: 'At which place of its log.' }),
    data: t.expose('data', { type: 'JSON', description: 'What the documentation says for its type.' }),
    position: t.exposeString('position', { description: 'Where to go on after it.' }),
  }),
})

const EventPage = builder.objectRef<Page>('EventPage').implement({
  description: 'A page of events, oldest first.',
  fields: (t) => ({
    events: t.expose('events', { type: [Event], description: 'The events.' }),
    position: t.exposeString('position', { description: 'Where to go on after the page.' }),
    hasMore: t.exposeBoolean('hasMore', { description: 'Whether there is more right now.' }),
  }),
})

const afterPosition = 'Only what comes after this position; not given: from the beginning.'

builder.queryField('events', (t) =>
  t.field({
    type: EventPage,
    description: 'Everything that happened, oldest first, from a position on; the same events as webhooks get.',
    args: {
      after: t.arg.string({ description: afterPosition }),
      first: t.arg.int({ description: 'So many at most, 1 to 1000. Not given: 50.' }),
    },
    resolve: (_root, args, ctx) => readEvents(ctx, args),
  }),
)

builder.subscriptionField('events', (t) =>
  t.field({
    type: Event,
    description: 'The same events as they happen, from a position on.',
    args: { after: t.arg.string({ description: 'Only what comes after this position; not given: from now on.' }) },
    subscribe: (_root, args, ctx) => watchEvents(ctx, args),
    resolve: (placed) => shown(placed),
  }),
)
