import { sameForAll, sharedEvents } from '../../engine/graphql/sharing.ts'
import { ticksNodeId } from '../../protocol/member-node-ids.ts'
import type { MemberBoundaries } from '../../protocol/ticks.ts'
import { ack, markRead, ticksChanged } from '../../resolvers/messages/boundaries.ts'
import { findTicks } from '../../resolvers/nodes.ts'
import { builder } from '../builder.ts'
import { User } from '../people/user.ts'

export const Ticks = builder.objectRef<MemberBoundaries>('Ticks')

builder.node(Ticks, {
  description:
    'How far one member has got in one conversation. Both numbers only rise, and read never passes delivered.',
  id: { resolve: ticksNodeId, description: 'Opaque, and the same whenever these ticks are shown.' },
  loadWithoutCache: (id, ctx) => findTicks(ctx, id),
  fields: (t) => ({
    conversationId: t.exposeID('conversationId', { description: 'The id of the conversation.', ...sameForAll }),
    userId: t.exposeID('userId', { description: 'The id of the member.', ...sameForAll }),
    user: t.field({
      type: User,
      description: 'The member.',
      ...sameForAll,
      resolve: ({ userId }) => ({ id: userId }),
    }),
    lastDeliveredSeq: t.exposeInt('lastDeliveredSeq', {
      description: 'A device of theirs has everything up to here; 0 at first.',
      ...sameForAll,
    }),
    lastReadSeq: t.exposeInt('lastReadSeq', {
      description: 'They have read everything up to here; 0 at first.',
      ...sameForAll,
    }),
  }),
})

const ackingDevice =
  'The device that `messageAdded` and `messageChanged` are opened with. The one of the two that showed this seq resumes after it.'

const AckInput = builder.inputType('AckInput', {
  description: 'How far the caller’s device has got.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: 'The conversation.' }),
    seq: t.int({
      required: true,
      description: 'The device has everything up to and including this; from 1 to lastSeq.',
    }),
    deviceId: t.id({ description: ackingDevice }),
  }),
})

const MarkReadInput = builder.inputType('MarkReadInput', {
  description: 'How far the caller has read.',
  fields: (t) => ({
    conversationId: t.id({ required: true, description: 'The conversation.' }),
    seq: t.int({ required: true, description: 'Everything up to and including this is read; from 1 to lastSeq.' }),
    deviceId: t.id({ description: ackingDevice }),
  }),
})

const ticksField = { description: "The caller's own boundaries, after the call." }

const AckPayload = builder.objectRef<{ ticks: MemberBoundaries }>('AckPayload').implement({
  description: 'The answer to ack.',
  fields: (t) => ({ ticks: t.expose('ticks', { type: Ticks, ...ticksField }) }),
})

const MarkReadPayload = builder.objectRef<{ ticks: MemberBoundaries }>('MarkReadPayload').implement({
  description: 'The answer to markRead.',
  fields: (t) => ({ ticks: t.expose('ticks', { type: Ticks, ...ticksField }) }),
})

builder.mutationField('ack', (t) =>
  t.field({
    type: AckPayload,
    description: 'My device has everything up to and including seq: the double tick. Never lowers anything.',
    args: { input: t.arg({ type: AckInput, required: true, description: 'What to acknowledge.' }) },
    resolve: (_root, { input }, ctx) => ack(ctx, input),
  }),
)

builder.mutationField('markRead', (t) =>
  t.field({
    type: MarkReadPayload,
    description: 'I have read everything up to and including seq: the blue tick. Implies ack. Never lowers anything.',
    args: { input: t.arg({ type: MarkReadInput, required: true, description: 'What was read.' }) },
    resolve: (_root, { input }, ctx) => markRead(ctx, input),
  }),
)

builder.subscriptionField('ticksChanged', (t) =>
  t.field({
    type: Ticks,
    description:
      'Boundaries of the other members, as they rise. With a conversationId the current ones come first, one per other ' +
      'member, so no change is ever missed. Without one, in a group of more than 100 members, only those are shown that concern a ' +
      'message of the viewer’s own.',
    args: { conversationId: t.arg.id({ description: 'Only this conversation; without it, all of the viewer’s.' }) },
    ...sharedEvents((ticks: MemberBoundaries) => ({ source: ticks, variant: 0, exceptViewerId: '' })),
    subscribe: (_root, args, ctx) => ticksChanged(ctx, args),
    resolve: (ticks) => ticks,
  }),
)
