import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Clock } from '../../../src/ports/clock.ts'
import type { UserId } from '../../../src/protocol/ids.ts'
import { createGroup } from '../../kit/group-of.ts'
import { upTo } from '../../kit/ids.ts'
import { isLease } from '../../kit/leases.ts'
import { createPerson, type Person } from '../../kit/person.ts'
import { systemClock } from '../../kit/services/dynamodb.ts'
import { startWebPushService, type WebPushService } from '../../kit/services/web-push-service.ts'
import { startWorld, type World } from '../../kit/world.ts'

const patience = { timeout: 20_000, interval: 10 }
let passedMs = 0
const clock: Clock = {
  ...systemClock,
  now: () => Date.now() + passedMs,
  monotonic: () => performance.now() + passedMs,
}
const dynamoCalls: string[] = []
const roundTrips: string[] = []
let world: World
let service: WebPushService

beforeAll(async () => {
  world = await startWorld({
    config: { push: { preview: true, log: true, privateEndpoints: true, vapid: 'derived' } },
    app: {
      clock,
      push: { works: false },
      onDynamoCall: ({ operation, table }) => dynamoCalls.push(`${operation} ${table}`),
      onRedisRoundTrip: (name) => isLease(name) || roundTrips.push(name),
    },
  })
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.redis.flush()
  service = await startWebPushService()
})
afterEach(() => service.stop())

const register = (person: Person, token: string, { platform = 'WEBPUSH', deviceId = 'browser' } = {}) =>
  person.ask('mutation ($input: RegisterDeviceInput!) { registerDevice(input: $input) { deviceId } }', {
    input: { deviceId, platform, token },
  })

const unregister = (person: Person, deviceId = 'browser') =>
  person.ask('mutation ($input: UnregisterDeviceInput!) { unregisterDevice(input: $input) { deviceId } }', {
    input: { deviceId },
  })

const partsOf = (node = 0) => world.nodes[node]?.parts ?? expect.fail()

async function waiting(jobs: number): Promise<void> {
  await vi.waitFor(async () => expect(await partsOf().ports.push?.queue.backlog()).toMatchObject({ jobs }), patience)
}

/** Works until there is nothing to do just now. */
async function workOff(): Promise<void> {
  for (;;) {
    const { found = 0, finished } = (await partsOf().domain.push?.tick()) ?? {}
    await finished
    if (found === 0) return
  }
}

async function awayWithBrowser(name: string) {
  const person = await world.person(name)
  const browser = service.subscribe()
  await register(person, browser.token)
  return { person, browser }
}

describe('somebody who is away', () => {
  it('has ten messages, one pending row and one banner, which shows the last', async () => {
    const alice = await world.person('alice', { displayName: 'Alice' })
    const { person: bob, browser } = await awayWithBrowser('bob')
    for (const n of upTo(10)) await alice.send(bob, `message ${n}`)
    await waiting(10)
    await workOff()
    const chat = world.chatOf(alice, bob)
    expect((await bob.history(chat)).edges).toHaveLength(10)
    expect(await partsOf().ports.pending.list(bob.userId as UserId)).toEqual([
      { conversationId: chat, firstUndeliveredSeq: 1 },
    ])
    expect(browser.banners()).toEqual(['Alice: message 10'])
    expect(browser.received).toHaveLength(1)
    expect(service.problem()).toBeUndefined()
  })

  it('has a banner for each of three conversations, a group among them', async () => {
    const [alice, carol] = [
      await world.person('alice', { displayName: 'Alice' }),
      await world.person('carol', { displayName: 'Carol' }),
    ]
    const { person: bob, browser } = await awayWithBrowser('bob')
    const { id } = await createGroup(alice, [bob, carol])
    for (const n of upTo(3)) {
      await alice.send(bob, `to you ${n}`)
      await carol.send(bob, `to you ${n}`)
      await carol.send({ conversationId: id }, `to all ${n}`)
    }
    await waiting(9)
    await workOff()
    expect(browser.banners().sort()).toEqual(['Alice: to you 3', 'Carol: to you 3', 'Tea: Carol: to all 3'])
  })

  it('sees a banner go that was read on another device', async () => {
    const alice = await world.person('alice')
    const { person: bob, browser } = await awayWithBrowser('bob')
    await alice.send(bob, 'hi')
    await waiting(1)
    await workOff()
    expect(browser.banners()).toHaveLength(1)
    await bob.markRead(world.chatOf(alice, bob), 1)
    await vi.waitFor(async () => {
      await workOff()
      expect(browser.banners()).toEqual([])
    }, patience)
    expect(browser.received.map(({ payload }) => 'withdraw' in payload)).toEqual([false, true])
  })

  it('who has taken the permission back is no longer registered', async () => {
    const alice = await world.person('alice')
    const { person: bob, browser } = await awayWithBrowser('bob')
    browser.unsubscribe()
    await alice.send(bob, 'hi')
    await waiting(1)
    await workOff()
    expect(await partsOf().ports.devices.ofUser(bob.userId as UserId)).toEqual([])
  })
})

describe('while the push service', () => {
  it('answers nobody, messages are sent all the same; then each conversation’s newest comes, once', async () => {
    const alice = await world.person('alice', { displayName: 'Alice' })
    const carol = await world.person('carol', { displayName: 'Carol' })
    const { person: bob, browser } = await awayWithBrowser('bob')
    service.hold()
    await alice.send(bob, 'first')
    await waiting(1)
    const begun = await partsOf().domain.push?.tick()
    await vi.waitFor(() => expect(service.arrived()).toBe(1), patience)

    // The request is held open until the end of this: a worker that waited for it would wait for ever.
    for (const n of upTo(5)) {
      await alice.send(bob, `alice ${n}`)
      await carol.send(bob, `carol ${n}`)
    }
    await waiting(10)
    expect(browser.received).toEqual([])

    service.answer({ status: 503 })
    service.release()
    await begun?.finished
    await workOff()
    for (const _ of upTo(5)) {
      passedMs += 10_000
      await workOff()
    }
    expect(browser.received).toEqual([])
    service.answer({ status: 201 })
    passedMs += 60_000
    await workOff()
    expect(browser.banners().sort()).toEqual(['Alice: alice 5', 'Carol: carol 5'])
    expect(browser.received).toHaveLength(2)
    passedMs += 600_000
    await workOff()
    expect(browser.received).toHaveLength(2)
  })
})

describe('what it costs', () => {
  it('a send one command to Redis, which is not waited for, and nothing in DynamoDB', async () => {
    const alice = await world.person('alice')
    const { person: bob } = await awayWithBrowser('bob')
    const { id } = await createGroup(alice, [bob])
    await alice.send(bob, 'first')
    await alice.send({ conversationId: id }, 'first')
    await waiting(2)
    await workOff()
    const lean = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { duplicate } }'
    const send = (to: object) => alice.ask(lean, { input: { clientMessageId: crypto.randomUUID(), to, body: 'x' } })
    const forget = () => [dynamoCalls, roundTrips].forEach((each) => void each.splice(0))

    forget()
    await send({ conversationId: world.chatOf(alice, bob) })
    expect(dynamoCalls).toEqual(['PutItem sends', 'PutItem messages', 'PutItem pending_deliveries'])
    expect(roundTrips.filter((name) => name.startsWith('push') || name.startsWith('banners'))).toEqual(['push.add'])
    forget()
    await send({ conversationId: id })
    expect(dynamoCalls).toEqual(['PutItem sends', 'PutItem messages'])
    expect(roundTrips.filter((name) => name.startsWith('push') || name.startsWith('banners'))).toEqual(['push.add'])
    await waiting(2)
    await workOff()
  })
})

describe('a device', () => {
  it('is registered and unregistered as often as one likes', async () => {
    const [alice, { person: bob, browser }] = [await world.person('alice'), await awayWithBrowser('bob')]
    await expect(register(bob, browser.token)).resolves.toEqual({ registerDevice: { deviceId: 'browser' } })
    await expect(unregister(bob)).resolves.toEqual({ unregisterDevice: { deviceId: 'browser' } })
    await expect(unregister(bob)).resolves.toEqual({ unregisterDevice: { deviceId: 'browser' } })
    await alice.send(bob, 'hi')
    await waiting(1)
    await workOff()
    expect(browser.received).toEqual([])
  })

  it('that changes hands is told what is for its new owner alone', async () => {
    const [alice, { person: bob, browser }] = [await world.person('alice'), await awayWithBrowser('bob')]
    const carol = await world.person('carol')
    await register(carol, browser.token, { deviceId: 'carols' })
    await alice.send(bob, 'for bob')
    await alice.send(carol, 'for carol')
    await waiting(2)
    await workOff()
    expect(browser.received.map(({ payload }) => 'body' in payload && payload.body)).toEqual(['for carol'])
  })

  it('of somebody who is banned shows nothing, until the ban is over', async () => {
    const [alice, { person: bob, browser }] = [await world.person('alice'), await awayWithBrowser('bob')]
    const { restrictions } = partsOf().domain
    await restrictions.ban(bob.userId as UserId, clock.now() + 60_000)
    await alice.send(bob, 'while banned')
    await waiting(1)
    await workOff()
    expect(browser.received).toEqual([])
    passedMs += 60_000
    await alice.send(bob, 'after that')
    await waiting(1)
    await workOff()
    expect(browser.received.map(({ payload }) => 'body' in payload && payload.body)).toEqual(['after that'])
  })

  it('whose token was revoked shows nothing, until it is registered again', async () => {
    const [alice, { person: bob, browser }] = [await world.person('alice'), await awayWithBrowser('bob')]
    passedMs += 1000
    const { restrictions } = partsOf().domain
    await restrictions.revokeTokens(bob.userId as UserId, clock.now())
    await alice.send(bob, 'to a lost phone')
    await waiting(1)
    await workOff()
    expect(browser.received).toEqual([])
    const again = await createPerson(bob.userId, world.url(), { iat: Math.ceil(clock.now() / 1000) })
    await register(again, browser.token)
    await alice.send(bob, 'to its owner')
    await waiting(1)
    await workOff()
    expect(browser.received.map(({ payload }) => 'body' in payload && payload.body)).toEqual(['to its owner'])
  })

  it('shows nothing of what somebody says in a group whom its user has blocked', async () => {
    const [alice, mallory] = [await world.person('alice'), await world.person('mallory')]
    const { person: bob, browser } = await awayWithBrowser('bob')
    const { id: conversationId } = await createGroup(alice, [bob, mallory])
    await bob.setBlocked(mallory, true)
    await mallory.send({ conversationId }, 'from the blocked')
    await waiting(1)
    await workOff()
    expect(browser.received).toEqual([])
    await alice.send({ conversationId }, 'from a friend')
    await mallory.send({ conversationId }, 'from the blocked again')
    await waiting(2)
    await workOff()
    expect(browser.received.map(({ payload }) => 'body' in payload && payload.body)).toEqual([
      expect.stringContaining('from a friend'),
    ])
  })

  it('of somebody else is not theirs to unregister', async () => {
    const [carol, { person: bob }] = [await world.person('carol'), await awayWithBrowser('bob')]
    await unregister(carol)
    expect(await partsOf().ports.devices.ofUser(bob.userId as UserId)).toHaveLength(1)
  })

  it.each([
    ['no deviceId', 'deviceId', { deviceId: '' }],
    ['a blank in its deviceId', 'deviceId', { deviceId: 'a b' }],
    ['a deviceId that is too long', 'deviceId', { deviceId: 'a'.repeat(65) }],
    ['no token', 'token', { token: '' }],
    ['a token that is too long', 'token', { token: 'x'.repeat(4097), platform: 'LOG' }],
    ['a token of another kind', 'token', { token: 'no subscription' }],
    ['a platform that is not set up', 'platform', { platform: 'FCM' }],
  ])('with %s is refused', async (_, field, given) => {
    const bob = await world.person('bob')
    const { token, ...options } = { token: service.subscribe().token, ...given }
    await expect(register(bob, token, options)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field })
  })

  it('needs somebody whose it is', async () => {
    const response = await fetch(`${world.url()}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ pushPublicKey }' }),
    })
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
  })
})

it('browsers subscribe with the key that pushes are signed with', async () => {
  const [alice, { person: bob, browser }] = [await world.person('alice'), await awayWithBrowser('bob')]
  const { pushPublicKey } = await bob.ask<{ pushPublicKey: string }>('{ pushPublicKey }')
  await alice.send(bob, 'hi')
  await waiting(1)
  await workOff()
  expect(browser.received[0]?.serverKey).toBe(pushPublicKey)
})

it('the metrics tell what was queued and sent, and what waits', async () => {
  const [alice, { person: bob }] = [await world.person('alice'), await awayWithBrowser('bob')]
  await alice.send(bob, 'hi')
  await waiting(1)
  await workOff()
  await alice.send(bob, 'again')
  await waiting(1)
  const text = await (await fetch(`${world.url()}/metrics`)).text()
  expect(text).toMatch(/parley_push_queued_total{outcome="added"} [1-9]/)
  expect(text).toMatch(/parley_push_sent_total{platform="WEBPUSH",outcome="accepted"} [1-9]/)
  expect(text).toContain('parley_push_backlog{kind="jobs"} 1')
  expect(text).toContain('parley_push_lag_seconds 0')
  await workOff()
})

it('a node works the queue off by itself, also what another had begun with', { timeout: 30_000 }, async () => {
  const [alice, { person: bob, browser }] = [await world.person('alice'), await awayWithBrowser('bob')]
  await alice.send(bob, 'hi')
  await waiting(1)
  await world.startNode({ push: {} })
  await vi.waitFor(() => expect(browser.received).toHaveLength(1), patience)
  await alice.send(bob, 'again')
  await vi.waitFor(() => expect(browser.received).toHaveLength(2), patience)
})

it('a server without a way to push says so', { timeout: 30_000 }, async () => {
  const silent = await startWorld()
  try {
    const bob = await createPerson('bob', silent.url())
    expect(await bob.ask('{ pushPublicKey }')).toEqual({ pushPublicKey: null })
    await expect(register(bob, service.subscribe().token)).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'platform',
      message: 'WEBPUSH is not set up on this server.',
    })
  } finally {
    await silent.stop()
  }
})
