import type { WebhookFailures, WebhookProgress, WebhookStore } from '../../ports/webhooks.ts'
import type { Dynamo } from '../rows/tables.ts'
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
import { createDynamoTable } from './table.ts'

export function createWebhooksDynamo(dynamo: Dynamo): WebhookStore {
  const table = createDynamoTable(dynamo, 'webhooks')

  async function get(id: string) {
    const item = await table.get(toWebhookKey(id))
    return item && toWebhook(item)
  }

  return {
    get,

    async list() {
      return (await table.query({ where: 'list_name = :list', values: { ':list': listed } })).map(toWebhook)
    },

    async create(webhook) {
      const isNew = await table.put(toWebhookItem(webhook), { where: 'attribute_not_exists(version)' })
      return isNew ? webhook : ((await get(webhook.id)) ?? webhook)
    },

    replace: (webhook) =>
      table.put(toWebhookItem(webhook), {
        where: 'version = :before',
        values: { ':before': webhook.version - 1 },
      }),

    async remove(id) {
      await table.remove(toWebhookKey(id), { where: 'attribute_exists(version)' })
    },
  }
}

export function createWebhookProgressDynamo(dynamo: Dynamo): WebhookProgress {
  const table = createDynamoTable(dynamo, 'webhook_shares')

  return {
    async of(webhookId) {
      const items = await table.query({ where: 'webhook_id = :id', values: { ':id': webhookId } })
      return new Map(items.map((item) => [item.share, toProgress(item)]))
    },

    save: (webhookId, share, leaseVersion, progress) =>
      table.put(toShareItem(webhookId, share, leaseVersion, progress), {
        where: 'attribute_not_exists(lease_version) OR lease_version <= :mine',
        values: { ':mine': leaseVersion },
      }),

    async remove(webhookId, share) {
      await table.remove({ webhook_id: webhookId, share }, { where: 'attribute_exists(lease_version)' })
    },
  }
}

export function createWebhookFailuresDynamo(dynamo: Dynamo): WebhookFailures {
  const table = createDynamoTable(dynamo, 'webhook_failures')

  return {
    async put(webhookId, failure) {
      await table.put(toFailureItem(webhookId, failure))
    },

    async above(webhookId, after, limit) {
      const values = { ':id': webhookId, ':after': after === '' ? ' ' : after }
      return (await table.query({ where: 'webhook_id = :id AND failure_id > :after', values, limit })).map(toFailure)
    },

    async below(webhookId, before, limit) {
      const range = before === undefined ? {} : { ':before': before }
      const where = before === undefined ? 'webhook_id = :id' : 'webhook_id = :id AND failure_id < :before'
      const found = await table.query({ where, values: { ':id': webhookId, ...range }, descending: true, limit })
      return found.map(toFailure)
    },

    async remove(webhookId, id) {
      await table.remove({ webhook_id: webhookId, failure_id: id }, { where: 'attribute_exists(failure_id)' })
    },
  }
}
