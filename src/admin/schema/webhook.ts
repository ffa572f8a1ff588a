import {
  type AdminWebhook,
  createWebhook,
  deleteWebhook,
  type FailedDelivery as Failed,
  listFailedDeliveries,
  listWebhooks,
  redeliver,
  updateWebhook,
} from '../resolvers/webhooks.ts'
import { after, builder, first } from './builder.ts'
import { Event } from './event.ts'

const Webhook = builder.objectRef<AdminWebhook>('Webhook').implement({
  description: 'An address to which events are posted.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    url: t.exposeString('url', { description: 'Where events are posted.' }),
    eventTypes: t.exposeStringList('eventTypes', { description: 'Which events; none: all.' }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether events are posted.' }),
    disabledReason: t.exposeString('disabledReason', { nullable: true, description: 'Why they are not.' }),
    position: t.exposeString('position', { description: 'Everything up to it was delivered or given up.' }),
    lagSeconds: t.exposeInt('lagSeconds', { description: 'How old the oldest event is that was not delivered yet.' }),
    secret: t.exposeString('secret', {
      nullable: true,
      description: 'What deliveries are signed with. It is shown once, in the answer that made it.',
    }),
  }),
})

const FailedDelivery = builder.objectRef<Failed>('FailedDelivery').implement({
  description: 'A delivery that was given up.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    event: t.expose('event', { type: Event, description: 'What was to be delivered.' }),
    attempts: t.exposeInt('attempts', { description: 'How often it was tried.' }),
    lastStatus: t.exposeInt('lastStatus', { nullable: true, description: 'The HTTP status of the last answer.' }),
    lastError: t.exposeString('lastError', { nullable: true, description: 'What went wrong at last.' }),
    givenUpAt: t.field({
      type: 'DateTime',
      description: 'When it was given up.',
      resolve: ({ givenUpAtMs }) => givenUpAtMs,
    }),
  }),
})

const FailedDeliveryConnection = builder.connectionObject(
  { type: FailedDelivery, name: 'FailedDeliveryConnection', description: 'A page of deliveries, newest first.' },
  builder.edgeObject({ type: FailedDelivery, name: 'FailedDeliveryEdge', description: 'A delivery at its place.' }),
)

const WebhookPayload = builder.objectRef<{ webhook: AdminWebhook }>('WebhookPayload').implement({
  description: 'The answer to what concerns one webhook.',
  fields: (t) => ({ webhook: t.expose('webhook', { type: Webhook, description: 'The webhook as it is now.' }) }),
})

const WebhookDeletedPayload = builder.objectRef<{ webhookId: string }>('WebhookDeletedPayload').implement({
  description: 'The answer to deleteWebhook.',
  fields: (t) => ({ webhookId: t.exposeID('webhookId', { description: 'The webhook that is gone.' }) }),
})

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'A webhook to create.',
  fields: (t) => ({
    url: t.string({ required: true, description: 'Where events are posted.' }),
    eventTypes: t.stringList({ description: 'Which events. Not given: all.' }),
    from: t.string({ description: 'The position to begin after. Not given: from now on.' }),
    clientWebhookId: t.id({
      description:
        'An id of your own, so that a repeated call finds what the first one has made. 1 to 64 of A-Z a-z 0-9 . _ : -',
    }),
  }),
})

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'What changes. What is not given stays.',
  fields: (t) => ({
    webhookId: t.id({ required: true, description: 'The webhook.' }),
    url: t.string({ description: 'Where events are posted.' }),
    eventTypes: t.stringList({ description: 'Which events; none or null: all.' }),
    enabled: t.boolean({ description: 'Whether events are posted. What happens meanwhile is posted later.' }),
    rotateSecret: t.boolean({
      defaultValue: false,
      description:
        'Makes a new secret, which the answer shows. The one before signs beside it for a day, in which the same is shown again.',
    }),
  }),
})

const WebhookIdInput = builder.inputType('WebhookIdInput', {
  description: 'A webhook.',
  fields: (t) => ({ webhookId: t.id({ required: true, description: 'The webhook’s id.' }) }),
})

const RedeliverInput = builder.inputType('RedeliverInput', {
  description: 'What is delivered again.',
  fields: (t) => ({
    webhookId: t.id({ required: true, description: 'The webhook.' }),
    from: t.string({ description: 'The position after which everything is delivered again.' }),
    failedOnly: t.boolean({ defaultValue: false, description: 'Only what was given up.' }),
  }),
})

builder.queryFields((t) => ({
  webhooks: t.field({
    type: [Webhook],
    description: 'All webhooks.',
    resolve: (_root, _args, ctx) => listWebhooks(ctx),
  }),
  failedDeliveries: t.field({
    type: FailedDeliveryConnection,
    description: 'Deliveries that were given up, newest first.',
    args: {
      webhookId: t.arg.id({ required: true, description: 'The webhook.' }),
      first: t.arg.int({ description: first }),
      after: t.arg.string({ description: after }),
    },
    resolve: (_root, args, ctx) => listFailedDeliveries(ctx, args),
  }),
}))

builder.mutationFields((t) => ({
  createWebhook: t.field({
    type: WebhookPayload,
    description: 'Creates a webhook. Its secret is shown once.',
    args: { input: t.arg({ type: CreateWebhookInput, required: true, description: 'The webhook.' }) },
    resolve: (_root, { input }, ctx) => createWebhook(ctx, input),
  }),
  updateWebhook: t.field({
    type: WebhookPayload,
    description: 'Changes a webhook.',
    args: { input: t.arg({ type: UpdateWebhookInput, required: true, description: 'What changes.' }) },
    resolve: (_root, { input }, ctx) => updateWebhook(ctx, input),
  }),
  deleteWebhook: t.field({
    type: WebhookDeletedPayload,
    description: 'Deletes a webhook.',
    args: { input: t.arg({ type: WebhookIdInput, required: true, description: 'The webhook.' }) },
    resolve: (_root, { input }, ctx) => deleteWebhook(ctx, input),
  }),
  redeliver: t.field({
    type: WebhookPayload,
    description: 'Delivers again, from a position on, or only what was given up.',
    args: { input: t.arg({ type: RedeliverInput, required: true, description: 'What.' }) },
    resolve: (_root, { input }, ctx) => redeliver(ctx, input),
  }),
}))
