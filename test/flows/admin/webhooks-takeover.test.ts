import { afterAll, beforeAll, expect, it } from 'vitest'
import { createService } from '../../kit/service.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../kit/services/webhook-receiver.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await startWebhookReceiver()
  world = await startWorld({ nodes: 2, config: { events: true, webhookAddresses: 'loopback' } })
})
afterAll(async () => {
  await world.stop()
  await receiver.stop()
})

it('a webhook is taken over when its node ends, over a flush of Redis', async () => {
  const backend = await createService('shop', world.url())
  const alice = await world.person('alice')
  const bob = await world.person('bob', { node: 1 })
  await backend.ask('mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }', {
    input: { url: receiver.url, eventTypes: ['message.sent'] },
  })
  const bodies = () => receiver.taken().map(({ data }) => data.body)
  await world.startNode()
  await alice.send(bob, 'm1')
  await expect.poll(bodies).toEqual(['m1'])
  await world.nodes.at(-1)?.stop()
  await world.redis.flush()
  await alice.send(bob, 'm2')
  await expect.poll(bodies, { timeout: 60_000 }).toEqual(['m1', 'm2'])
})
