import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { line, type Person, type Via } from '../../kit/person.ts'
import { startProxy, type TcpProxy } from '../../kit/services/proxy.ts'
import { sharedService } from '../../kit/shared-services.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
let dynamodb: TcpProxy
let alice: Person
let bob: Person
let chat: string

beforeAll(async () => {
  dynamodb = await startProxy(await sharedService('dynalite'))
  world = await startWorld({ dynamodbEndpoint: dynamodb.url, app: { deadlines: {} } })
  alice = await world.person('alice')
  bob = await world.person('bob')
  chat = (await alice.send(bob, 'before')).conversationId
})
afterAll(async () => {
  await world.stop()
  await dynamodb.stop()
})

const outages: { name: string; begin: () => unknown; end: () => unknown }[] = [
  { name: 'Redis is killed', begin: () => world.redis.kill(), end: () => world.redis.launch() },
  { name: 'Redis hangs', begin: () => world.redis.pause(), end: () => world.redis.resume() },
  { name: 'DynamoDB refuses', begin: () => dynamodb.refuse(), end: () => dynamodb.pass() },
  { name: 'DynamoDB hangs', begin: () => dynamodb.stall(), end: () => dynamodb.pass() },
]

const unavailable = { code: 'UNAVAILABLE', retryable: true }

describe.each(outages)('while $name', ({ name, begin, end }) => {
  it('says UNAVAILABLE, acknowledges nothing, and recovers by itself', { timeout: 60_000 }, async () => {
    const sends = (['http', 'ws', 'rest'] as Via[]).map((via) => ({
      via,
      clientMessageId: `${name} ${via}`.replaceAll(' ', '-'),
    }))
    // This connection is opened before, as by a client that is connected when it happens.
    await alice.ask('{ viewer { id } }', {}, { via: 'ws' })

    await begin()
    // The outage lasts until all have answered: a send that waited for its end would wait for ever.
    const answers = await Promise.all(
      sends.map((send) => alice.send(bob, `during ${send.via}`, send).catch((error: unknown) => error)),
    )
    expect(answers).toEqual(sends.map(() => expect.objectContaining(unavailable)))
    await expect(bob.ack(chat, 1)).rejects.toMatchObject(unavailable)
    const readiness = await fetch(`${world.url()}/readyz`)
    expect(readiness.status).toBe(503)
    expect((await fetch(`${world.url()}/healthz`)).status).toBe(200)

    await end()
    await expect.poll(async () => (await fetch(`${world.url()}/readyz`)).status, { timeout: 20_000 }).toBe(200)
    for (const send of sends) {
      await expect
        .poll(() => alice.send(bob, `during ${send.via}`, send).then(line, (error) => error.code), { timeout: 20_000 })
        .toMatch(`during ${send.via}`)
    }
    const { edges } = await bob.history(chat, { first: 100 })
    const bodies = edges.map(({ node }) => node.body).filter((body) => body.startsWith('during'))
    expect(new Set(edges.map(({ node }) => node.clientMessageId ?? node.id)).size).toBe(edges.length)
    expect(bodies.length % sends.length).toBe(0)
  })
})

describe('a subscription', () => {
  it.each(outages)('outlives it that $name, and misses nothing', { timeout: 60_000 }, async ({ begin, end }) => {
    const carol = await world.person('carol')
    const dave = await world.person('dave')
    const atDave = dave.follow()
    await world.online(dave)
    await carol.send(dave, 'before')
    await atDave.receives(1)
    await begin()
    await carol.send(dave, 'lost?', { clientMessageId: 'x' }).catch((error) => expect(error).toMatchObject(unavailable))
    await end()
    await expect
      .poll(() => carol.send(dave, 'lost?', { clientMessageId: 'x' }).then(line, (error) => error.code), {
        timeout: 20_000,
      })
      .toMatch('lost?')
    await carol.send(dave, 'after')
    expect((await atDave.receives(3)).map(({ message }) => message.body)).toEqual(['before', 'lost?', 'after'])
    await atDave.stop()
  })
})
