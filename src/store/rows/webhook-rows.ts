import type { DeliveryFailure, ShareProgress, Webhook } from '../../ports/webhooks.ts'
import { feedDays } from './feed-row.ts'
import type { Item, Key } from './tables.ts'

// What a row says is JSON: nothing is looked for in it, and it is always written as a whole.

/** They are few, and are listed together. */
export const listed = 'webhooks'

export const toWebhookKey = (id: string): Key<'webhooks'> => ({ list_name: listed, webhook_id: id })

export const toWebhookItem = (webhook: Webhook): Item<'webhooks'> => ({
  ...toWebhookKey(webhook.id),
  version: webhook.version,
  definition: JSON.stringify(webhook),
})

export const toWebhook = ({ definition }: Item<'webhooks'>): Webhook => JSON.parse(definition) as Webhook

export const toShareItem = (
  webhookId: string,
  share: number,
  leaseVersion: number,
  progress: ShareProgress,
): Item<'webhook_shares'> => ({
  webhook_id: webhookId,
  share,
  lease_version: leaseVersion,
  progress: JSON.stringify(progress),
})

export const toProgress = ({ progress }: Item<'webhook_shares'>): ShareProgress => JSON.parse(progress) as ShareProgress

export const toFailureItem = (webhookId: string, failure: DeliveryFailure): Item<'webhook_failures'> => ({
  webhook_id: webhookId,
  failure_id: failure.id,
  failure: JSON.stringify(failure),
  expires_at_s: Math.ceil(failure.givenUpAtMs / 1000) + feedDays * 86_400,
})

export const toFailure = ({ failure }: Item<'webhook_failures'>): DeliveryFailure =>
  JSON.parse(failure) as DeliveryFailure
