import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { partitionOf } from '../../../src/domain/feed/partitions.ts'
import type { ConversationId } from '../../../src/protocol/ids.ts'
import type { Person } from '../../kit/person.ts'
import { createService, type Service } from '../../kit/service.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../kit/services/webhook-receiver.ts'
import { startWorld, type World } from '../../kit/world.ts'

// Webhooks, from a message that is sent to the endpoint that takes it.

let world: World
let backend: Service
let alice: Person
let bob: Person
let receiver: WebhookReceiver
const made: string[] = []
beforeAll(async () => {
  world = await startWorld({
    nodes: 2,
    app: { webhookLookMs: 200 },
    config: { events: true, webhookAddresses: 'loopback' },
  })
  backend = await createService(`backend-${randomUUID().slice(0, 8)}`, world.url(1))
})
afterAll(() => world.stop())
beforeEach(async () => {
  alice = await world.person('alice')
  bob = await world.person('bob', { node: 1 })
  receiver = await startWebhookReceiver()
})
afterEach(async () => {
  for (const webhookId of made.splice(0)) await remove(webhookId)
  await receiver.stop()
})

type Shown = {
  id: string
  url: string
  eventTypes: string[]
  enabled: boolean
  disabledReason: string | null
  position: string
  lagSeconds: number
  secret: string | null
}
type Page = {
  edges: { node: { attempts: number; lastStatus: number; givenUpAt: string; event: { data: { body?: string } } } }[]
  pageInfo: { hasNextPage: boolean; endCursor: string }
}
const fields = 'id url eventTypes enabled disabledReason position lagSeconds secret'

const change = async (name: string, type: string, input: object): Promise<Shown> => {
  const answer = await backend.ask<Record<string, { webhook: Shown }>>(
    `mutation ($input: ${type}!) { ${name}(input: $input) { webhook { ${fields} } } }`,
    { input },
  )
  return answer[name]?.webhook ?? expect.fail()
}
async function create(input: object = {}): Promise<Shown & { secret: string }> {
  const webhook = await change('createWebhook', 'CreateWebhookInput', { url: receiver.url, ...input })
  made.push(webhook.id)
  return { ...webhook, secret: webhook.secret ?? expect.fail() }
}
const update = (webhookId: string, input: object) =>
  change('updateWebhook', 'UpdateWebhookInput', { webhookId, ...input })
const redeliver = (webhookId: string, input: object) => change('redeliver', 'RedeliverInput', { webhookId, ...input })
const remove = (webhookId: string) =>
  backend.ask('mutation ($input: WebhookIdInput!) { deleteWebhook(input: $input) { webhookId } }', {
    input: { webhookId },
  })
const webhook = async (id: string): Promise<Shown> => {
  const { webhooks } = await backend.ask<{ webhooks: Shown[] }>(`{ webhooks { ${fields} } }`)
  return webhooks.find((each) => each.id === id) ?? expect.fail(`${id} is not listed`)
}
const bodies = (of: string) =>
  receiver
    .taken(of)
    .filter(({ type }) => type === 'message.sent')
    .map(({ data }) => data.body)
const chat = () => world.chatOf(alice, bob)

describe('a webhook', () => {
  it('gets what happens from then on, signed, in order, each conversation one at a time', async () => {
    await alice.send(bob, 'before')
    const { id, secret, ...shown } = await create()
    expect(shown).toMatchObject({ url: receiver.url, eventTypes: [], enabled: true, disabledReason: null })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    receiver.verifies(secret)
    for (const n of [1, 2, 3, 4, 5]) await alice.send(bob, `m${n}`)
    await expect.poll(() => bodies(chat())).toEqual(['m1', 'm2', 'm3', 'm4', 'm5'])
    const [first] = receiver.received.filter(({ event }) => event.conversationId === chat())
    expect(first?.event).toMatchObject({ seq: 2, type: 'message.sent', data: { senderId: alice.userId } })
    expect(first?.headers['content-type']).toBe('application/json')
    expect(receiver.problems).toEqual([])
    await expect.poll(() => webhook(id)).toMatchObject({ id, secret: null, lagSeconds: 0 })
  })

  it('gets every event that it fails on again, and each conversation stays in order', async () => {
    const others = await Promise.all(['carol', 'dora', 'eve'].map((name) => world.person(name)))
    const { secret } = await create({ eventTypes: ['message.sent'] })
    receiver.verifies(secret)
    let count = 0
    receiver.says(() => {
      count += 1
      return count % 3 === 0 ? 500 : 200
    })
    for (const n of [1, 2, 3, 4]) for (const other of [bob, ...others]) await alice.send(other, `m${n}`)
    for (const other of [bob, ...others])
      await expect.poll(() => bodies(world.chatOf(alice, other)), { timeout: 90_000 }).toEqual(['m1', 'm2', 'm3', 'm4'])
    expect(receiver.problems).toEqual([])
    expect(new Set(receiver.received.map(({ event }) => event.type))).toEqual(new Set(['message.sent']))
  })

  it('that is slow or dead holds nobody else up', async () => {
    const dead = await startWebhookReceiver()
    dead.says(() => undefined)
    await create({ url: dead.url })
    await create()
    for (const n of [1, 2, 3]) await alice.send(bob, `m${n}`)
    await expect.poll(() => bodies(chat())).toEqual(['m1', 'm2', 'm3'])
    await dead.stop()
  })

  it('begins at a position, and gets everything again from one', async () => {
    const { position } = await create({ eventTypes: ['user.banned'] })
    for (const n of [1, 2]) await alice.send(bob, `m${n}`)
    const { id } = await create({ from: position })
    await expect.poll(() => bodies(chat())).toEqual(['m1', 'm2'])
    const before = receiver.received.length
    await redeliver(id, { from: position })
    await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(before + 3)
    const again = receiver.received.slice(before).map(({ event }) => event)
    expect(again.filter(({ conversationId }) => conversationId === chat()).map(({ seq }) => seq)).toEqual([1, 1, 2])
    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(before)
  })

  it('that is switched off gets later what happened meanwhile', async () => {
    const { id } = await create()
    await alice.send(bob, 'm1')
    await expect.poll(() => bodies(chat())).toEqual(['m1'])
    expect(await update(id, { enabled: false })).toMatchObject({
      enabled: false,
      disabledReason: 'It was switched off.',
    })
    await alice.send(bob, 'm2')
    await update(id, { enabled: true, eventTypes: ['message.sent'] })
    await alice.send(bob, 'm3')
    await expect.poll(() => bodies(chat())).toEqual(['m1', 'm2', 'm3'])
    expect(await webhook(id)).toMatchObject({ enabled: true, disabledReason: null, eventTypes: ['message.sent'] })
  })

  it('that gets another address gets there at once what waits for the one before', async () => {
    const other = await startWebhookReceiver()
    receiver.says(() => 500)
    const { id } = await create({ eventTypes: ['message.sent'] })
    for (const n of [1, 2]) await alice.send(bob, `m${n}`)
    // By then it waits for minutes.
    await expect.poll(() => receiver.received.length).toBeGreaterThan(3)
    expect(await update(id, { url: other.url })).toMatchObject({ url: other.url })
    await expect.poll(() => other.taken(chat()).map(({ data }) => data.body)).toEqual(['m1', 'm2'])
    expect(bodies(chat())).toEqual([])
    await other.stop()
  })

  it('is left alone for as long as Retry-After says', async () => {
    receiver.says((_event, response) => {
      if (receiver.received.length > 0) return 204
      response.writeHead(503, { 'retry-after': '2' }).end()
      return undefined
    })
    await create({ eventTypes: ['message.sent'] })
    await alice.send(bob, 'm1')
    await expect.poll(() => bodies(chat())).toEqual(['m1'])
    const [first, second] = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(1)
    expect(receiver.received).toHaveLength(2)
  })

  it('that is deleted gets nothing more', async () => {
    const { id } = await create({ eventTypes: ['message.sent'] })
    await alice.send(bob, 'm1')
    await expect.poll(() => bodies(chat())).toEqual(['m1'])
    await remove(id)
    const other = await startWebhookReceiver()
    await create({ url: other.url, eventTypes: ['message.sent'] })
    // Whoever begins with the new one has ended with the old one.
    await expect
      .poll(async () => {
        await alice.send(bob, 'later')
        return other.taken(chat()).length
      })
      .toBeGreaterThan(0)
    const { length } = receiver.received
    await alice.send(bob, 'last')
    await expect.poll(() => other.taken(chat()).at(-1)?.data.body).toBe('last')
    expect(receiver.received).toHaveLength(length)
    await other.stop()
  })

  it('shows what was given up, newest first, in pages, and gets it again on demand', async () => {
    const { id } = await create({ eventTypes: ['user.banned'] })
    for (const n of [1, 2, 3, 4, 5]) await alice.send(bob, `m${n}`)
    const { webhookFailures } = world.nodes[0]?.parts.ports ?? expect.fail()
    const partition = partitionOf(chat())
    // As after three days.
    for (const seq of [1, 2, 3, 4, 5])
      await webhookFailures.put(id, {
        ...{
          id: `${seq}`.padStart(14, '0'),
          eventId: `evt_${chat()}_${seq}`,
          type: 'message.sent',
          occurredAtMs: 1000,
        },
        place: { partition, row: 1, conversationId: chat() as ConversationId, seq, nth: seq === 1 ? 1 : 0 },
        ...{ attempts: 80, lastStatus: 500, lastError: 'status 500', givenUpAtMs: 1000 * seq },
      })
    const page = async (after: string | null) => {
      const { failedDeliveries } = await backend.ask<{ failedDeliveries: Page }>(
        `query ($id: ID!, $after: String) { failedDeliveries(webhookId: $id, first: 2, after: $after) {
          edges { node { attempts lastStatus lastError givenUpAt event { id type seq conversationId data } } }
          pageInfo { hasNextPage hasPreviousPage endCursor }
        } }`,
        { id, after },
      )
      return failedDeliveries
    }
    const pages = [await page(null)]
    for (let last = pages[0]; last?.pageInfo.hasNextPage; last = pages.at(-1))
      pages.push(await page(last.pageInfo.endCursor))
    expect(pages.map(({ edges }) => edges.map(({ node }) => node.event.data.body))).toEqual([
      ['m5', 'm4'],
      ['m3', 'm2'],
      ['m1'],
    ])
    expect(pages[0]?.edges[0]?.node).toMatchObject({
      ...{ attempts: 80, lastStatus: 500, lastError: 'status 500', givenUpAt: new Date(5000).toISOString() },
      event: { id: `evt_${chat()}_5`, type: 'message.sent', seq: 5, conversationId: chat() },
    })
    await update(id, { eventTypes: ['message.sent'] })
    await redeliver(id, { failedOnly: true })
    await expect
      .poll(() =>
        receiver
          .taken(chat())
          .map(({ seq }) => seq)
          .sort(),
      )
      .toEqual([1, 2, 3, 4, 5])
    await expect.poll(async () => (await page(null)).edges).toEqual([])
    expect(receiver.problems).toEqual([])
    await expect(backend.ask('{ failedDeliveries(webhookId: "whk_none") { edges { cursor } } }')).rejects.toMatchObject(
      {
        code: 'NOT_FOUND',
      },
    )
  })

  it('is switched off by 410, and an event says so', async () => {
    const { id } = await create({ eventTypes: ['message.sent'] })
    const other = await startWebhookReceiver()
    await create({ url: other.url, eventTypes: ['webhook.disabled'] })
    receiver.says(() => 410)
    await alice.send(bob, 'm1')
    await expect
      .poll(() => webhook(id))
      .toMatchObject({ enabled: false, disabledReason: expect.stringContaining('410') })
    await expect.poll(() => other.taken().map(({ data }) => data.webhookId)).toContain(id)
    receiver.says(() => 200)
    await update(id, { enabled: true })
    await expect.poll(() => bodies(chat())).toEqual(['m1'])
    await other.stop()
  })

  it('is signed with both secrets for a day after a new one was made', async () => {
    const { id, secret } = await create()
    const rotated = await update(id, { rotateSecret: true })
    expect(rotated.secret).not.toBe(secret)
    await expect
      .poll(async () => {
        await alice.send(bob, 'hello')
        return receiver.received.at(-1)?.headers['webhook-signature']?.toString().split(' ').length
      })
      .toBe(2)
    receiver.verifies(secret, rotated.secret ?? '')
    await alice.send(bob, 'last')
    await expect.poll(() => bodies(chat()).at(-1)).toBe('last')
    expect(receiver.problems).toEqual([])
  })
})

describe('createWebhook', () => {
  it('makes one webhook, however often it is asked for under one id', async () => {
    const clientWebhookId = randomUUID()
    const one = await create({ clientWebhookId })
    expect(await create({ clientWebhookId })).toMatchObject({ id: one.id, secret: one.secret })
    await expect(create({ clientWebhookId, url: `${receiver.url}/other` })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      field: 'clientWebhookId',
    })
  })

  it('refuses addresses that are none, or lead inside', async () => {
    for (const url of [
      'nonsense',
      'ftp://example.com/x',
      'https://user:pass@example.com/',
      'http://example.com/',
      'https://10.0.0.1/',
      'https://169.254.169.254/latest/meta-data',
      'https://[fd00::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://metadata.internal/',
      `https://example.com/${'x'.repeat(3000)}`,
    ])
      await expect(create({ url }), url).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'url' })
    await expect(create({ eventTypes: ['Nonsense!'] })).rejects.toMatchObject({ field: 'eventTypes' })
    await expect(create({ from: 'nonsense' })).rejects.toMatchObject({ field: 'from' })
    const { id } = await create()
    await expect(update(id, { url: 'https://10.0.0.1/' })).rejects.toMatchObject({ field: 'url' })
  })
})

it('what does not exist is NOT_FOUND, and deleting it again is fine', async () => {
  const { id } = await create()
  await remove(id)
  await remove(id)
  await expect(update(id, { enabled: true })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(redeliver(id, { failedOnly: true })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(redeliver(id, {})).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'from' })
})
