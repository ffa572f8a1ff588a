import { beforeEach, expect, it } from 'vitest'
import { createRandom } from '../../simulation/random.ts'
import { createWebhookWorld, type WebhookWorld } from './kit.ts'

const url = 'https://shop.example/parley'
const hourMs = 3_600_000
const dayMs = 24 * hourMs

let world: WebhookWorld
beforeEach(() => {
  world = createWebhookWorld()
})

it('a share that is taken over keeps what waits: in order, and not before its time', async () => {
  const first = world.startNode()
  let isUp = false
  world.endpoint(url, ({ data }) => (isUp || data.body === 'other' ? 204 : 500))
  await world.create(first, url)
  await world.look()
  for (const body of ['m1', 'm2', 'm3']) await world.send('alice', 'bob', body)
  // By then it waits for ten minutes.
  for (let i = 0; i < 60; i += 1) await world.pass(10_000)
  expect(new Set(world.texts(url))).toEqual(new Set(['m1']))
  first.kill()
  const { length } = world.posts
  world.startNode()
  isUp = true
  for (let i = 0; i < 12; i += 1) await world.pass(2000)
  await world.send('alice', 'carol', 'other')
  for (let i = 0; i < 5; i += 1) await world.pass(2000)
  expect(world.posts.slice(length).map(({ data }) => data.body)).toEqual(['other'])
  await world.pass(15 * 60_000)
  expect(world.posts.slice(length).map(({ data }) => data.body)).toEqual(['other', 'm1', 'm2', 'm3'])
})

it('a node that dies between the row of a failure and its progress leaves one failure, whoever goes on', async () => {
  let isDead = false
  const first = world.startNode({
    changed: ({ webhookFailures }) => ({
      webhookFailures: {
        ...webhookFailures,
        async put(...failure) {
          await webhookFailures.put(...failure)
          if (!isDead) first.kill()
          isDead = true
          return new Promise(() => undefined)
        },
      },
    }),
  })
  world.endpoint(url, ({ data }) => (data.body === 'm1' ? 500 : 204))
  const { id } = await world.create(first, url)
  await world.send('alice', 'bob', 'm1')
  await world.send('alice', 'bob', 'm2')
  await world.pass(3 * dayMs + 2 * hourMs)
  expect(isDead).toBe(true)
  expect(world.texts(url)).not.toContain('m2')
  const second = world.startNode()
  await world.pass(2 * hourMs)
  expect(world.texts(url).at(-1)).toBe('m2')
  expect((await second.webhooks.failed(id, undefined, 10)).map(({ event }) => event?.data.body)).toEqual(['m1'])
})

it('what a node learns after its lease was taken changes nothing', async () => {
  const first = world.startNode()
  const answers: ((status: number) => void)[] = []
  world.endpoint(url, () => new Promise((resolve) => answers.push(resolve)))
  await world.create(first, url)
  await world.send('alice', 'bob', 'm1')
  await world.send('alice', 'bob', 'm2')
  await world.look()
  expect(world.texts(url)).toEqual(['m1'])
  // It stands still, as in a long garbage collection.
  first.state.isStopped = true
  const second = world.startNode()
  for (let i = 0; i < 10; i += 1) await world.pass(2000)
  expect(world.texts(url)).toEqual(['m1', 'm1'])
  answers[0]?.(204)
  first.state.isStopped = false
  for (let i = 0; i < 3; i += 1) await world.pass(500)
  // It begins nothing more, and the progress is that of the second one, which waits for its answer.
  expect(world.texts(url)).toEqual(['m1', 'm1'])
  for (const node of [first, second]) node.kill()
  world.startNode()
  for (let i = 0; i < 10; i += 1) await world.pass(2000)
  expect(world.texts(url)).toEqual(['m1', 'm1', 'm1'])
})

it('a share goes to a new node when what is under way has ended, so that nothing is posted beside it', async () => {
  const first = world.startNode()
  const answers: ((status: number) => void)[] = []
  world.endpoint(url, () => new Promise((resolve) => answers.push(resolve)))
  await world.create(first, url)
  for (let n = 0; n < 20; n += 1) for (const body of ['m1', 'm2']) await world.send('alice', `friend${n}`, body)
  await world.pass(2000)
  expect(new Set(world.texts(url))).toEqual(new Set(['m1']))
  const begun = answers.length
  world.startNode()
  for (let i = 0; i < 4; i += 1) await world.pass(2500)
  expect(world.texts(url)).toEqual(Array(begun).fill('m1'))
  for (let i = 0; i < 60; i += 1) {
    for (const answer of answers.splice(0)) answer(204)
    await world.pass(500)
  }
  expect(world.texts(url).sort()).toEqual([...Array(20).fill('m1'), ...Array(20).fill('m2')])
})

it('everything again from a position begins when what is under way has ended', async () => {
  const node = world.startNode()
  const answers: ((status: number) => void)[] = []
  world.endpoint(url, () => new Promise((resolve) => answers.push(resolve)))
  const { id } = await world.create(node, url)
  const { position } = await node.webhooks.stateOf(await node.webhooks.get(id))
  await world.send('alice', 'bob', 'm1')
  await world.look()
  await node.webhooks.redeliverFrom(id, position)
  for (let i = 0; i < 4; i += 1) await world.pass(2500)
  expect(world.texts(url)).toEqual(['m1'])
  for (let i = 0; i < 6; i += 1) {
    for (const answer of answers.splice(0)) answer(204)
    await world.pass(2500)
  }
  expect(world.texts(url)).toEqual(['m1', 'm1'])
})

it.each([1, 2, 3, 4, 5, 6])('nothing is lost or overtaken, whatever nodes and the endpoint do (%i)', async (seed) => {
  const random = createRandom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T
  const taken = new Map<string, string[]>()
  let isOver = false
  world.endpoint(url, async ({ conversationId, data }) => {
    const what = isOver ? 0.9 : random.next()
    if (what < 0.1) return 'none'
    if (what < 0.3) return 500
    if (what < 0.4) return { status: 503, retryAfterMs: 2000 }
    const texts = taken.get(conversationId ?? '') ?? []
    const text = String(data.body)
    if (!texts.includes(text)) taken.set(conversationId ?? '', [...texts, text])
    if (what < 0.5) return 'none'
    if (what < 0.7) await world.settle()
    return 204
  })
  let node = world.startNode()
  world.startNode()
  const { id } = await world.create(node, url)
  const friends = ['bob', 'carol', 'dora', 'eve', 'fred', 'gwen']
  const sent = new Map(friends.map((friend) => [friend, [] as string[]]))
  for (let step = 0; step < 60; step += 1) {
    for (let n = Math.floor(random.next() * 4); n > 0; n -= 1) {
      const friend = pick(friends)
      const texts = sent.get(friend) ?? []
      texts.push(`${friend} ${texts.length + 1}`)
      await world.send('alice', friend, texts.at(-1) ?? '')
    }
    const what = random.next()
    if (what < 0.06) {
      const other = world.startNode()
      node.kill()
      node = other
    } else if (what < 0.1) await world.during(node.work.stop())
    else if (what < 0.14) await world.during(node.webhooks.change(id, { enabled: random.next() < 0.5 }))
    await world.pass(pick([300, 1000, 2500, 6000, 20_000]))
  }
  isOver = true
  await world.during(node.webhooks.change(id, { enabled: false }))
  await world.during(node.webhooks.change(id, { enabled: true }))
  for (let i = 0; i < 15; i += 1) await world.pass(5000)
  const found = [...taken.values()].sort((a, b) => String(a[0]).localeCompare(String(b[0])))
  expect(found).toEqual([...sent.values()].filter(({ length }) => length > 0))
  expect(await node.webhooks.failed(id, undefined, 10)).toEqual([])
  expect(world.errors).toEqual([])
})
