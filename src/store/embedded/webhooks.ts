import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { WebhookFailures, WebhookProgress, WebhookStore } from '../../ports/webhooks.ts'
import {
  listed,
  toFailure,
  toFailureItem,
  toProgress,
  toShareItem,
  toWebhook,
  toWebhookItem,
  toWebhookKey,
} from '../rows/webhook-rows.ts'
import { createEmbeddedTable } from './table.ts'

export function createWebhooksEmbedded(engine: KeyValue): WebhookStore {
  const table = createEmbeddedTable(engine, 'webhooks')

  return {
    list: async () => table.query(listed).map(toWebhook),

    async get(id) {
      const item = table.get(toWebhookKey(id))
      return item && toWebhook(item)
    },

    async create(webhook) {
      const { row } = await table.update(toWebhookKey(webhook.id), (standing) =>
        standing ? 'keep' : toWebhookItem(webhook),
      )
      return row ? toWebhook(row) : webhook
    },

    async replace(webhook) {
      const { changed } = await table.update(toWebhookKey(webhook.id), (standing) =>
        standing?.version === webhook.version - 1 ? toWebhookItem(webhook) : 'keep',
      )
      return changed
    },

    async remove(id) {
      await table.update(toWebhookKey(id), () => 'remove')
    },
  }
}

export function createWebhookProgressEmbedded(engine: KeyValue): WebhookProgress {
  const table = createEmbeddedTable(engine, 'webhook_shares')

  return {
    of: async (webhookId) => new Map(table.query(webhookId).map((item) => [item.share, toProgress(item)])),

    async save(webhookId, share, leaseVersion, progress) {
      const { changed } = await table.update({ webhook_id: webhookId, share }, (standing) =>
        (standing?.lease_version ?? 0) > leaseVersion ? 'keep' : toShareItem(webhookId, share, leaseVersion, progress),
      )
      return changed
    },

    async remove(webhookId, share) {
      await table.update({ webhook_id: webhookId, share }, () => 'remove')
    },
  }
}

export function createWebhookFailuresEmbedded(engine: KeyValue): WebhookFailures {
  const table = createEmbeddedTable(engine, 'webhook_failures')

  return {
    async put(webhookId, failure) {
      const item = toFailureItem(webhookId, failure)
      await table.update(item, () => item)
    },

    above: async (webhookId, after, limit) => table.query(webhookId, { above: after, limit }).map(toFailure),

    below: async (webhookId, before, limit) =>
      table
        .query(webhookId, { ...(before !== undefined && { below: before }), descending: true, limit })
        .map(toFailure),

    async remove(webhookId, id) {
      await table.update({ webhook_id: webhookId, failure_id: id }, () => 'remove')
    },
  }
}
