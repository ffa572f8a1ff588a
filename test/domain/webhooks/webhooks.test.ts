import { beforeEach, describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/protocol/ids.ts'
import { createWebhookWorld, type Node, type WebhookWorld } from './kit.ts'

const url = 'https://shop.example/parley'
const hourMs = 3_600_000
const dayMs = 24 * hourMs

let world: WebhookWorld
let node: Node
beforeEach(() => {
  world = createWebhookWorld()
  node = world.startNode()
})

const stateOf = async (id: string) => node.webhooks.stateOf(await node.webhooks.get(id))

describe('an event that is not taken', () => {
  it('is tried for three days, given up and listed, and its conversation goes on; it is delivered again on demand', async () => {
    let isUp = false
    world.endpoint(url, ({ data }) => (data.body === 'm1' && !isUp ? 500 : 204))
    const { id } = await world.create(node, url)
    await world.send('alice', 'bob', 'm1')
    await world.send('alice', 'bob', 'm2')
    await world.pass(3 * dayMs - 2 * hourMs)
    expect(new Set(world.texts(url))).toEqual(new Set(['m1']))
    const attempts = world.posts.length
    expect(attempts).toBeGreaterThan(70)
    await world.pass(4 * hourMs)
    expect(world.texts(url).at(-1)).toBe('m2')
    const failed = await node.webhooks.failed(id, undefined, 10)
    expect(failed).toMatchObject([
      { failure: { lastStatus: 500, type: 'message.sent' }, event: { data: { body: 'm1' } } },
    ])
    expect(failed[0]?.failure.attempts).toBe(world.texts(url).filter((text) => text === 'm1').length)
    isUp = true
    await node.webhooks.redeliverFailed(id, undefined)
    await world.look()
    expect(world.texts(url).at(-1)).toBe('m1')
    expect(await node.webhooks.failed(id, undefined, 10)).toEqual([])
    expect(world.errors).toEqual([])
  })

  it('and was given up is delivered again, also where that is asked just before everything begins anew', async () => {
    let isUp = false
    world.endpoint(url, () => (isUp ? 204 : 500))
    const { id } = await world.create(node, url)
    await world.send('alice', 'bob', 'm1')
    await world.pass(3 * dayMs + 2 * hourMs)
    expect(await node.webhooks.failed(id, undefined, 10)).toHaveLength(1)
    isUp = true
    await node.webhooks.redeliverFailed(id, undefined)
    await node.webhooks.redeliverFrom(id, (await stateOf(id)).position)
    const { length } = world.posts
    for (let n = 0; n < 3; n += 1) await world.pass(3 * world.second)
    expect(world.posts.slice(length).map(({ data }) => data.body)).toEqual(['m1'])
    expect(await node.webhooks.failed(id, undefined, 10)).toEqual([])
  })

  it('holds its conversation up for a moment where the endpoint fails every third request', async () => {
    let requests = 0
    world.endpoint(url, () => {
      requests += 1
      return requests % 3 === 0 ? 500 : 204
    })
    await world.create(node, url)
    for (let n = 1; n <= 60; n += 1) await world.send('alice', 'bob', `m${n}`)
    for (let n = 0; n < 10; n += 1) await world.pass(2 * world.second)
    expect(requests).toBe(89)
    expect(world.texts(url).at(-1)).toBe('m60')
  })

  it('waits for as long as Retry-After says, also where others are taken meanwhile', async () => {
    let isUp = false
    world.endpoint(url, ({ data }) =>
      isUp && data.body !== 'later' ? 204 : { status: 500, retryAfterMs: data.body === 'later' ? hourMs : 0 },
    )
    await world.create(node, url)
    await world.look()
    const begunMs = world.now()
    await world.send('alice', 'bob', 'later')
    // These go to the same share: one of them shows that the endpoint is back.
    for (let i = 0; i < 60; i += 1) await world.send('alice', `friend${i}`, 'soon')
    await world.pass(10 * world.second)
    isUp = true
    await world.pass(hourMs / 2)
    const later = () => world.posts.filter(({ data }) => data.body === 'later').map(({ atMs }) => atMs)
    expect(later()).toHaveLength(1)
    await world.pass(hourMs)
    expect(later().length).toBeGreaterThan(1)
    expect((later()[1] ?? 0) - begunMs).toBeGreaterThanOrEqual(hourMs)
  })
})

describe('an endpoint that is gone', () => {
  it('gets nothing more after 410, and is told of once', async () => {
    world.endpoint(url, () => 410)
    const other = 'https://other.example/'
    world.endpoint(other, () => 204)
    const { id } = await world.create(node, url)
    await world.create(node, other, { eventTypes: ['webhook.disabled'] })
    for (let i = 0; i < 40; i += 1) await world.send('alice', `friend${i}`, 'hello')
    await world.pass(20 * world.second)
    expect(await node.webhooks.get(id)).toMatchObject({
      enabled: false,
      disabledReason: expect.stringContaining('410'),
    })
    expect(world.posts.filter((post) => post.url === other)).toMatchObject([{ data: { webhookId: id } }])
    const { length } = world.posts
    await world.pass(hourMs)
    expect(world.posts).toHaveLength(length)
  })

  it('is switched off when it has taken nothing for five days, and goes on from there once it is back', async () => {
    let isUp = false
    world.endpoint(url, () => (isUp ? 204 : 'none'))
    const { id } = await world.create(node, url)
    for (let day = 0; day < 5; day += 1) {
      await world.send('alice', 'bob', `day ${day}`)
      await world.pass(dayMs)
    }
    expect((await node.webhooks.get(id)).enabled).toBe(true)
    await world.pass(2 * hourMs)
    expect(await node.webhooks.get(id)).toMatchObject({
      enabled: false,
      disabledReason: expect.stringContaining('five'),
    })
    isUp = true
    await node.webhooks.change(id, { enabled: true })
    const { length } = world.posts
    await world.look()
    expect(world.posts.slice(length).map(({ data }) => data.body)).toEqual(['day 3', 'day 4'])
    expect((await node.webhooks.failed(id, undefined, 10)).map(({ event }) => event?.data.body)).toEqual([
      'day 2',
      'day 1',
      'day 0',
    ])
  })

  it('is not switched off by its first failure after nobody has tried for a week', async () => {
    let isUp = false
    world.endpoint(url, () => (isUp ? 204 : 500))
    const { id } = await world.create(node, url)
    await world.send('alice', 'bob', 'm1')
    await world.pass(10 * world.second)
    // All nodes are stopped.
    await world.during(node.work.stop())
    await world.jump(7 * dayMs)
    await world.look()
    await world.pass(hourMs)
    expect((await node.webhooks.get(id)).enabled).toBe(true)
    isUp = true
    await world.pass(2 * hourMs)
    expect(world.texts(url).at(-1)).toBe('m1')
  })
})

describe('a webhook', () => {
  it('that is made again under the id of one that was deleted begins anew', async () => {
    world.endpoint(url, () => 500)
    const wish = { url, eventTypes: ['message.sent'], clientWebhookId: 'shop' }
    const { id } = await world.during(node.webhooks.create(wish))
    await world.send('alice', 'bob', 'before')
    await world.look()
    await node.webhooks.remove(id)
    const again = await world.during(node.webhooks.create(wish))
    expect(again.id).toBe(id)
    await world.pass(4 * world.second)
    world.endpoint(url, () => 204)
    const { length } = world.posts
    await world.send('alice', 'bob', 'after')
    await world.pass(10 * world.second)
    expect(world.posts.slice(length).map(({ data }) => data.body)).toEqual(['after'])
  })

  it('that is deleted while something is under way leaves nothing behind', async () => {
    const answers: (() => void)[] = []
    world.endpoint(url, () => new Promise((resolve) => answers.push(() => resolve(500))))
    const { id } = await world.create(node, url)
    await world.send('alice', 'bob', 'm1')
    await world.look()
    expect(answers).toHaveLength(1)
    await node.webhooks.remove(id)
    await world.look()
    answers.forEach((answer) => void answer())
    await world.pass(hourMs)
    expect(world.posts).toHaveLength(1)
    expect([...(await node.ports.webhookProgress.of(id)).keys()]).toEqual([])
    expect(await node.ports.webhookFailures.above(id, '', 10)).toEqual([])
  })

  it('gets one event of a conversation at a time, also those that have no seq', async () => {
    const underWay = new Set<string | null>()
    const overlaps: unknown[] = []
    world.endpoint(url, async ({ conversationId, type }) => {
      if (underWay.has(conversationId)) overlaps.push(type)
      underWay.add(conversationId)
      await world.settle()
      underWay.delete(conversationId)
      return 204
    })
    const { conversation } = await world.during(node.domain.access.direct('alice' as UserId, 'bob' as UserId))
    await world.create(node, url, { eventTypes: ['message.sent', 'conversation.updated'] })
    await world.look()
    for (let n = 1; n <= 3; n += 1) {
      await world.send('alice', 'bob', `m${n}`)
      await world.during(
        node.domain.feed.tell({ type: 'conversation.updated', conversationId: conversation.id, data: '{}' }),
      )
    }
    await world.pass(10 * world.second)
    expect(world.posts).toHaveLength(6)
    expect(overlaps).toEqual([])
  })

  it('shows the same new secret to whoever asks for one again while the one before is still good', async () => {
    const { id, secret } = await world.create(node, url)
    const first = await node.webhooks.change(id, { rotateSecret: true })
    const second = await node.webhooks.change(id, { rotateSecret: true })
    expect(first.secret).not.toBe(secret)
    expect(second).toMatchObject({ secret: first.secret, previous: { secret } })
    await world.pass(25 * hourMs)
    const third = await node.webhooks.change(id, { rotateSecret: true })
    expect(third).toMatchObject({ previous: { secret: first.secret } })
    expect(third.secret).not.toBe(first.secret)
  })

  it('has a position that is before everything it has not taken', async () => {
    world.endpoint(url, ({ data }) => (data.body === 'm1' ? 500 : 204))
    const { id } = await world.create(node, url)
    const from = (await stateOf(id)).position
    await world.send('alice', 'bob', 'm1')
    for (let n = 0; n < 20; n += 1) await world.send('alice', `friend${n}`, 'hello')
    // In between no node is there.
    await world.pass(30 * world.second)
    const { position, lagMs } = await stateOf(id)
    expect(lagMs).toBeGreaterThan(20 * world.second)
    const read = async (after: typeof from) =>
      (await world.during(node.domain.feed.page(after, 100))).events
        .filter(({ event }) => event.type === 'message.sent')
        .map(({ event }) => event.data.body)
    expect(await read(from)).toHaveLength(21)
    const left = await read(position)
    expect(left[0]).toBe('m1')
    expect(left.length).toBeLessThan(10)
  })
})
