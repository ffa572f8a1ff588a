import type { Connection } from '../../resolvers/connection.ts'
import type { AdminContext } from './context.ts'
import type { AdminEvent } from './events.ts'
import { notBuilt } from './not-built.ts'

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

export function listWebhooks(_ctx: AdminContext): Promise<AdminWebhook[]> {
  throw notBuilt('webhooks')
}

export function listFailedDeliveries(
  _ctx: AdminContext,
  _args: { webhookId: string; first?: number | null | undefined; after?: string | null | undefined },
): Promise<Connection<FailedDelivery>> {
  throw notBuilt('failedDeliveries')
}

export function createWebhook(
  _ctx: AdminContext,
  _input: { url: string; eventTypes?: readonly string[] | null | undefined; from?: string | null | undefined },
): Answer {
  throw notBuilt('createWebhook')
}

export function updateWebhook(
  _ctx: AdminContext,
  _input: {
    webhookId: string
    url?: string | null | undefined
    eventTypes?: readonly string[] | null | undefined
    enabled?: boolean | null | undefined
  },
): Answer {
  throw notBuilt('updateWebhook')
}

export function deleteWebhook(_ctx: AdminContext, _input: { webhookId: string }): Promise<{ webhookId: string }> {
  throw notBuilt('deleteWebhook')
}

export function redeliver(
  _ctx: AdminContext,
  _input: { webhookId: string; from?: string | null | undefined; failedOnly?: boolean | null | undefined },
): Answer {
  throw notBuilt('redeliver')
}
