import type { FeedEventType } from '../../domain/feed/feed-events.ts'
import { parsePositions, printPositions } from '../../domain/feed/positions.ts'
import type { FailedDelivery as Failed, WebhookState, Webhooks } from '../../domain/webhooks/webhooks.ts'
import type { Webhook } from '../../ports/webhooks.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import { type Connection, connectionOf } from '../../resolvers/connection.ts'
import { pageSize } from '../../resolvers/page-arguments.ts'
import type { AdminContext } from './context.ts'
import { type AdminEvent, requireFeed, shown } from './events.ts'
import { clientIdOf } from './inputs.ts'

export type AdminWebhook = {
  id: string
  url: string
  eventTypes: string[]
  enabled: boolean
  disabledReason?: string
  position: string
  lagSeconds: number
  secret?: string
}
export type FailedDelivery = {
  id: string
  event: AdminEvent
  attempts: number
  lastStatus?: number
  lastError?: string
  givenUpAtMs: number
}
type Answer = Promise<{ webhook: AdminWebhook }>
type Types = readonly string[] | null | undefined

const typeRule = /^[a-z]+\.[a-z]+$/
const typesMax = 50

export async function listWebhooks(ctx: AdminContext): Promise<AdminWebhook[]> {
  const webhooks = required(ctx)
  const all = [...(await webhooks.list())].sort((one, other) => one.createdAtMs - other.createdAtMs)
  return Promise.all(all.map(async (webhook) => shownWebhook(await webhooks.stateOf(webhook))))
}

export async function listFailedDeliveries(
  ctx: AdminContext,
  args: { webhookId: string; first?: number | null | undefined; after?: string | null | undefined },
): Promise<Connection<FailedDelivery>> {
  const webhooks = required(ctx)
  const { count } = pageSize(args)
  const before = args.after == null ? undefined : ctx.cursors.toFailureOf(args.webhookId, args.after, 'after')
  const { position } = await webhooks.stateOf(await webhooks.get(args.webhookId))
  const found = await webhooks.failed(args.webhookId, before, count + 1)
  const edges = found.slice(0, count).map((failed) => ({
    cursor: ctx.cursors.ofFailureOf(args.webhookId, failed.failure.id),
    node: shownFailure(failed, position),
  }))
  return connectionOf(edges, { hasNextPage: found.length > count, hasPreviousPage: before !== undefined })
}

export async function createWebhook(
  ctx: AdminContext,
  input: {
    url: string
    eventTypes?: Types
    from?: string | null | undefined
    clientWebhookId?: string | null | undefined
  },
): Answer {
  const webhooks = required(ctx)
  const eventTypes = typesOf(input.eventTypes)
  const made = await webhooks.create({
    url: input.url,
    ...(eventTypes && { eventTypes }),
    ...(input.from != null && { from: parsePositions(input.from, 'from') }),
    ...(input.clientWebhookId != null && { clientWebhookId: clientIdOf('clientWebhookId', input.clientWebhookId) }),
  })
  return answerOf(webhooks, made, made.version === 1)
}

export async function updateWebhook(
  ctx: AdminContext,
  input: {
    webhookId: string
    url?: string | null | undefined
    eventTypes?: Types
    enabled?: boolean | null | undefined
    rotateSecret?: boolean | null | undefined
  },
): Answer {
  const webhooks = required(ctx)
  const { webhookId, url, eventTypes, enabled, rotateSecret } = input
  const changed = await webhooks.change(webhookId, {
    ...(url != null && { url }),
    ...(eventTypes !== undefined && { eventTypes: typesOf(eventTypes) ?? null }),
    ...(enabled != null && { enabled }),
    rotateSecret: rotateSecret ?? false,
  })
  return answerOf(webhooks, changed, rotateSecret === true)
}

export async function deleteWebhook(
  ctx: AdminContext,
  { webhookId }: { webhookId: string },
): Promise<{ webhookId: string }> {
  await required(ctx).remove(webhookId)
  return { webhookId }
}

export async function redeliver(
  ctx: AdminContext,
  input: { webhookId: string; from?: string | null | undefined; failedOnly?: boolean | null | undefined },
): Answer {
  const webhooks = required(ctx)
  const { webhookId, failedOnly } = input
  const from = input.from == null ? undefined : parsePositions(input.from, 'from')
  if (failedOnly === true) return answerOf(webhooks, await webhooks.redeliverFailed(webhookId, from), false)
  if (!from) throw badInput('from', 'Give from, a position, or failedOnly: true.')
  return answerOf(webhooks, await webhooks.redeliverFrom(webhookId, from), false)
}

function required(ctx: AdminContext): Webhooks {
  requireFeed(ctx)
  const { webhooks } = ctx.domain
  if (!webhooks) throw new ChatError('FORBIDDEN', 'This node posts no events.')
  return webhooks
}

/** Accepts types that this release does not know, because a later one may know them. */
function typesOf(types: Types): readonly string[] | undefined {
  if (types == null || types.length === 0) return undefined
  if (types.length > typesMax || !types.every((type) => typeRule.test(type)))
    throw badInput('eventTypes', `eventTypes must be up to ${typesMax} types such as message.sent.`)
  return [...new Set(types)]
}

async function answerOf(webhooks: Webhooks, webhook: Webhook, showsSecret: boolean): Answer {
  const state = shownWebhook(await webhooks.stateOf(webhook))
  return { webhook: showsSecret ? { ...state, secret: webhook.secret } : state }
}

function shownWebhook({ webhook, position, lagMs }: WebhookState): AdminWebhook {
  const { id, url, eventTypes = [], enabled, disabledReason } = webhook
  return {
    ...{ id, url, eventTypes: [...eventTypes], enabled, position: printPositions(position) },
    lagSeconds: Math.round(lagMs / 1000),
    ...(disabledReason !== undefined && { disabledReason }),
  }
}

/** Shows a delivery that was given up. If its event is gone since, the type and the place of it are still known. */
function shownFailure({ failure, event }: Failed, webhookPosition: readonly number[]): FailedDelivery {
  const { id, eventId, type, occurredAtMs, place, attempts, lastStatus, lastError, givenUpAtMs } = failure
  const { partition, row: position } = place
  const after = webhookPosition.with(partition, position)
  const where =
    place.conversationId === undefined
      ? { ...(place.about !== undefined && { conversationId: place.about }) }
      : { conversationId: place.conversationId, seq: place.seq }
  const gone = {
    id: eventId,
    type: type as FeedEventType,
    occurredAtMs,
    ...where,
    nth: 0,
    data: {},
    partition,
    position,
  }
  return {
    id,
    event: shown({ event: event ?? gone, after }),
    attempts,
    givenUpAtMs,
    ...(lastStatus !== undefined && { lastStatus }),
    ...(lastError !== undefined && { lastError }),
  }
}
