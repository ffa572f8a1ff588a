import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSoftStateRedis } from '../../../src/store/redis/soft-state.ts'
import { isLease } from '../../kit/leases.ts'
import type { Appearance, Person } from '../../kit/person.ts'
import { connectNode } from '../../kit/soft-worlds.ts'
import { startWorld, type World } from '../../kit/world.ts'

const calls: string[] = []
let world: World
beforeAll(async () => {
  world = await startWorld({
    nodes: 2,
    app: {
      onDynamoCall: ({ operation, table }) => calls.push(`${operation} ${table}`),
      onRedisRoundTrip: (name) => isLease(name) || calls.push(name),
    },
  })
})
afterAll(() => world.stop())

/** Alice is at the first node, bob at the second. They have a chat. */
async function acquaintances(): Promise<[Person, Person]> {
  const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
  await alice.send(bob, 'hi')
  return [alice, bob]
}

const here = { state: 'ONLINE', lastSeenAt: null }
const neverSeen = { state: 'OFFLINE', lastSeenAt: null }
const isOnline = ({ presence }: Appearance) => presence?.state === 'ONLINE'
const hasGone = ({ presence }: Appearance) => presence?.state === 'OFFLINE' && presence.lastSeenAt !== null
const msOf = ({ presence }: Appearance) => Date.parse(presence?.lastSeenAt ?? '')

describe('presence', () => {
  it('follows somebody through coming, catching up and going, on whatever node', async () => {
    const [alice, bob] = await acquaintances()
    const atAlice = alice.followPresence([bob.userId])
    expect((await atAlice.receives(1))[0]).toEqual({ id: bob.userId, presence: neverSeen })
    const beforeMs = Date.now()
    const phone = bob.follow()
    expect(await atAlice.sees(isOnline)).toEqual({ id: bob.userId, presence: here })
    expect(await alice.presenceOf(bob)).toEqual(here)
    await phone.stop()
    const gone = await atAlice.sees(hasGone)
    expect(msOf(gone)).toBeGreaterThanOrEqual(beforeMs)
    expect(msOf(gone)).toBeLessThanOrEqual(Date.now())
    expect(await alice.presenceOf(bob)).toEqual(gone.presence)
    const states = atAlice.events.map(({ presence }) => presence?.state)
    expect(states.filter((state) => state !== 'SYNCING')).toEqual(['OFFLINE', 'ONLINE', 'OFFLINE'])
    expect(new Set(atAlice.events.map((event) => JSON.stringify(event))).size).toBe(atAlice.events.length)
    await atAlice.stop()
  })

  it('counts several devices as one, on several nodes', async () => {
    const [alice, bob] = await acquaintances()
    const [phone, laptop] = [bob.follow({}, world.url(0)), bob.follow({}, world.url(1))]
    await Promise.all([phone.receives(1), laptop.receives(1)])
    await world.online(bob)
    await phone.stop()
    expect(await alice.presenceOf(bob)).toEqual(here)
    const atAlice = alice.followPresence([bob.userId])
    await atAlice.receives(1)
    await laptop.stop()
    expect(await atAlice.sees(hasGone)).toBe(atAlice.events[1])
    await atAlice.stop()
  })

  it('of a killed node ends with the TTL, without any event, and was last seen about when it was', async () => {
    const [alice, bob] = await acquaintances()
    const atAlice = alice.followPresence([bob.userId])
    await atAlice.receives(1)
    // This node of its own will give no further sign of life.
    const { link } = connectNode(world.redis.url)
    const doomed = createSoftStateRedis(link, { sessionTtlMs: 1500 }).sessions
    const session = { userId: bob.userId as never, connectionId: 'doomed' }
    const cameAtMs = Date.now()
    await doomed.attach(session)
    await doomed.renew([{ session, state: 'online' }])
    const diedAtMs = Date.now()
    await link.close()
    await atAlice.sees(isOnline)
    const gone = await atAlice.sees(hasGone)
    expect(msOf(gone)).toBeGreaterThanOrEqual(cameAtMs)
    expect(msOf(gone)).toBeLessThanOrEqual(diedAtMs)
    await atAlice.stop()
  })

  it('comes back by itself after Redis forgot everything', async () => {
    const [alice, bob] = await acquaintances()
    const phone = bob.follow()
    await world.online(bob)
    const atAlice = alice.followPresence([bob.userId])
    await atAlice.receives(1)
    await world.redis.flush()
    for (const { parts } of world.nodes) parts.domain.resyncScheduler.resyncAll()
    expect((await atAlice.receives(2))[1]?.presence).toEqual(neverSeen)
    await world.nodes[1]?.parts.domain.resyncScheduler.holdLease()
    expect((await atAlice.receives(3))[2]?.presence).toEqual(here)
    await Promise.all([atAlice.stop(), phone.stop()])
  })

  it('misses nothing while the link to Redis is cut', async () => {
    const [alice, bob] = await acquaintances()
    const atAlice = alice.followPresence([bob.userId])
    await atAlice.receives(1)
    const phone = bob.follow()
    await world.redis.killSubscribers()
    await atAlice.sees(isOnline)
    await Promise.all([atAlice.stop(), phone.stop()])
  })

  it('is shown of oneself', async () => {
    const alice = await world.person('alice')
    expect(await alice.presenceOf(alice)).toEqual(neverSeen)
    const phone = alice.follow()
    const atAlice = alice.followPresence([alice.userId])
    await atAlice.sees(isOnline)
    await Promise.all([atAlice.stop(), phone.stop()])
  })

  it('of many chats costs one look at Redis and, once known, nothing of DynamoDB', async () => {
    const alice = await world.person('alice')
    for (let i = 0; i < 12; i += 1) await (await world.person(`friend${i}`)).send(alice, 'hello')
    const list = '{ conversations { edges { node { members { id presence { state } } } } } }'
    await alice.ask(list)
    calls.length = 0
    await alice.ask(list)
    expect(calls.filter((call) => /^(sessions|blockHints)\./.test(call)).sort()).toEqual([
      'blockHints.look',
      'sessions.seen',
    ])
    expect(calls.filter((call) => call.endsWith(' blocks'))).toEqual([])
  })
})

describe('presenceChanged', () => {
  it('never shows strangers, whether they exist or not', async () => {
    const [alice, bob] = await acquaintances()
    const stranger = await world.person('stranger')
    const phone = stranger.follow()
    await world.online(stranger)
    const atAlice = alice.followPresence([stranger.userId, 'nobody', bob.userId, bob.userId])
    await atAlice.receives(1)
    await phone.stop()
    const bobs = bob.follow()
    await atAlice.sees(isOnline)
    for (const { parts } of world.nodes) parts.domain.resyncScheduler.resyncAll()
    await bobs.stop()
    await atAlice.sees(hasGone)
    expect(new Set(atAlice.events.map(({ id }) => id))).toEqual(new Set([bob.userId]))
    expect(await alice.presenceOf(stranger)).toBeUndefined()
    await atAlice.stop()
  })

  it('takes at most 100 ids, and only ids of users', async () => {
    const alice = await world.person('alice')
    const many = alice.followPresence(Array.from({ length: 101 }, (_, i) => `user${i}`))
    expect(await many.fails()).toMatchObject({ code: 'BAD_USER_INPUT', field: 'userIds' })
    const bad = alice.followPresence(['fine', 'dm_no-user'])
    expect(await bad.fails()).toMatchObject({ code: 'BAD_USER_INPUT', field: 'userIds.1' })
    const most = alice.followPresence([alice.userId, ...Array.from({ length: 99 }, (_, i) => `user${i}`)])
    expect(await most.receives(1)).toEqual([{ id: alice.userId, presence: neverSeen }])
    await Promise.all([many.stop(), bad.stop(), most.stop()])
  })
})

describe('while Redis is away', () => {
  it('presence is null, and what else is asked for is answered', { timeout: 30_000 }, async () => {
    const other = await startWorld()
    const [alice, bob] = [await other.person('alice'), await other.person('bob')]
    await alice.send(bob, 'hi')
    const atAlice = alice.followPresence([bob.userId])
    await atAlice.receives(1)
    await other.redis.kill()
    expect(
      await alice.ask('query ($id: ID!) { node(id: $id) { id ... on User { presence { state } } } }', {
        id: bob.userId,
      }),
    ).toEqual({
      node: { id: bob.userId, presence: null },
    })
    await other.redis.launch()
    const phone = bob.follow()
    phone.fails().catch(() => undefined)
    await expect.poll(() => alice.presenceOf(bob), { timeout: 10_000 }).toEqual(here)
    await atAlice.sees(isOnline)
    await Promise.all([atAlice.stop(), phone.stop()])
    await other.stop()
  })
})
