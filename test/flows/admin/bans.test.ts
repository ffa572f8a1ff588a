import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import type { Clock } from '../../../src/ports/clock.ts'
import { systemClock } from '../../../src/wiring/system-clock.ts'
import { createPerson, type Person, signToken } from '../../kit/person.ts'
import { createService, type Service } from '../../kit/service.ts'
import { waitUntil } from '../../kit/wait-until.ts'
import { startWorld, type World } from '../../kit/world.ts'

// Who is banned is refused by every node, wherever they come in. The world may also be one embedded node.

let world: World
let backend: Service
let wallStepMs = 0
/** The time of day as tests need it. */
const clock: Clock = { ...systemClock, now: () => systemClock.now() + wallStepMs }
beforeAll(async () => {
  world = await startWorld({ nodes: 2, app: { clock }, config: { graphiql: true } })
  backend = await createService('backend', world.url())
})
afterAll(() => world.stop())

type Shown = { banned: boolean; bannedUntil: string | null }

const mutate = async (name: string, type: string, input: object, service = backend): Promise<Shown> =>
  (
    await service.ask<Record<string, { user: Shown }>>(
      `mutation ($input: ${type}!) { ${name}(input: $input) { user { banned bannedUntil } } }`,
      { input },
    )
  )[name]?.user as Shown
const ban = ({ userId }: { userId: string }, until?: Date, service?: Service) =>
  mutate('banUser', 'BanUserInput', { userId, ...(until && { until }) }, service)
const unban = ({ userId }: Person) => mutate('unbanUser', 'UserIdInput', { userId })
const revoke = ({ userId }: Person, issuedBefore: Date) =>
  mutate('revokeTokens', 'RevokeTokensInput', { userId, issuedBefore })

const isIn = (person: Person, node: number): Promise<boolean> =>
  person.ask('{ viewer { id } }', {}, { node: world.url(node) }).then(
    () => true,
    ({ code }) => {
      expect(code).toBe('UNAUTHENTICATED')
      return false
    },
  )
const untilIn = (person: Person, node: number, wanted: boolean) =>
  waitUntil(async () => (await isIn(person, node)) === wanted)

/** Opens a subscription by server-sent events, and returns what it says until its end. */
async function streamBySse(person: Person, node: number): Promise<{ text: Promise<string> }> {
  const response = await fetch(`${world.url(node)}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${person.token}`,
    },
    body: JSON.stringify({ query: 'subscription { conversationUpdated { removedConversationId } }' }),
  })
  expect(response.status).toBe(200)
  return { text: response.text() }
}

const allOver = () => new Date(clock.now() + 3_600_000)

describe('banUser', () => {
  it.each([0, 1])('closes what is open on node %i, and refuses all that comes after', async (node) => {
    const [mallory, alice] = [await world.person('mallory', { node }), await world.person('alice')]
    await alice.send(mallory, 'hello')
    const stream = mallory.follow()
    await world.online(mallory)
    const sse = await streamBySse(mallory, node)
    expect(await ban(mallory)).toEqual({ banned: true, bannedUntil: null })
    expect(await stream.fails()).toMatchObject({ message: 'The socket was closed: 4403 Token invalid' })
    expect(await sse.text).toContain('"code":"UNAUTHENTICATED"')
    for (const via of ['http', 'rest'] as const) {
      await expect(mallory.send(alice, 'let me in', { via })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    }
    await expect(mallory.send(alice, 'let me in', { via: 'ws' })).rejects.toMatchObject({ code: 4403 })
    const device = { deviceId: 'd', platform: 'LOG', token: 't' }
    const registerDevice = 'mutation ($input: RegisterDeviceInput!) { registerDevice(input: $input) { deviceId } }'
    await expect(mallory.ask(registerDevice, { input: device })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    await untilIn(mallory, 1 - node, false)
    await world.offline(mallory)
  })

  it('tells nobody: the banned read what a bad token reads, and others see what they saw', async () => {
    const [mallory, alice] = [await world.person('mallory'), await world.person('alice')]
    await alice.send(mallory, 'hello')
    await mallory.send(alice, 'hi')
    const look = 'query ($id: ID!) { node(id: $id) { ... on User { id name avatarUrl presence { state } } } }'
    const [node, ticks] = [await alice.ask(look, { id: mallory.userId }), await alice.conversations()]
    await ban(mallory)
    const refusal = async (token: string) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
      const response = await fetch(`${world.url()}/graphql`, {
        method: 'POST',
        headers,
        body: '{"query":"{ viewer { id } }"}',
      })
      return { status: response.status, body: await response.text() }
    }
    const other = `${mallory.token.slice(0, -3)}AAA`
    expect(await refusal(mallory.token)).toEqual(await refusal(other))
    expect(await alice.ask(look, { id: mallory.userId })).toEqual(node)
    expect(await alice.conversations()).toEqual(ticks)
    expect((await alice.send(mallory, 'still there?')).seq).toBe(3)
  })

  it('ends by itself at its time, or by unbanUser', async () => {
    const mallory = await world.person('mallory', { displayName: 'Mallory' })
    expect(await isIn(mallory, 0)).toBe(true)
    const until = new Date(clock.now() + 60_000)
    expect(await ban(mallory, until)).toEqual({ banned: true, bannedUntil: until.toISOString() })
    await untilIn(mallory, 1, false)
    const user = '{ user(id: $id) { banned bannedUntil } }'
    const shown = async () =>
      (await backend.ask<{ user: Shown }>(`query ($id: ID!) ${user}`, { id: mallory.userId })).user
    expect(await shown()).toMatchObject({ banned: true })
    wallStepMs += 60_000
    expect([await isIn(mallory, 0), await isIn(mallory, 1)]).toEqual([true, true])
    expect(await shown()).toEqual({ banned: false, bannedUntil: null })

    await ban(mallory)
    await ban(mallory)
    await untilIn(mallory, 1, false)
    expect(await unban(mallory)).toEqual({ banned: false, bannedUntil: null })
    expect(await isIn(mallory, 0)).toBe(true)
    await untilIn(mallory, 1, true)
  })

  it('holds for somebody who was never here, and says what it cannot do', async () => {
    const userId = `new-${randomUUID().slice(0, 8)}`
    await ban({ userId })
    expect((await backend.ask<{ user: Shown | null }>(`{ user(id: "${userId}") { banned } }`)).user).toEqual({
      banned: true,
    })
    const person = await createPerson(userId, world.url())
    expect(await isIn(person, 0)).toBe(false)
    await expect(ban({ userId }, new Date(clock.now()))).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'until',
    })
    await expect(ban({ userId: 'dm_1' })).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'userId' })
    await expect(ban({ userId: 'backend' })).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'userId' })
    const other = await createService('banned-service', world.url())
    await ban({ userId: 'banned-service' })
    await expect(ban({ userId }, undefined, other)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })

  it('costs a send nothing, however many are banned', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    await alice.send(bob, 'first')
    const calls: string[] = []
    const { restrictions } = world.nodes[0]?.parts.ports ?? expect.fail('no node')
    const original = restrictions.getMany
    restrictions.getMany = async (userIds) => {
      calls.push(...userIds)
      return original(userIds)
    }
    await alice.send(bob, 'second')
    restrictions.getMany = original
    expect(calls).toEqual([])
  })
})

describe('revokeTokens', () => {
  const personWith = async (issuedAtMs: number | undefined): Promise<Person> => {
    const userId = `dave-${randomUUID().slice(0, 8)}`
    return createPerson(userId, world.url(), issuedAtMs === undefined ? {} : { iat: Math.floor(issuedAtMs / 1000) })
  }

  it('refuses tokens that were issued before, closes their sockets, and leaves later ones', async () => {
    const issuedAtMs = Math.floor(clock.now() / 1000) * 1000
    const dave = await personWith(issuedAtMs - 10_000)
    const stream = dave.follow()
    await world.online(dave)
    expect(await revoke(dave, new Date(issuedAtMs))).toEqual({ banned: false, bannedUntil: null })
    expect(await stream.fails()).toMatchObject({ message: 'The socket was closed: 4403 Token invalid' })
    await untilIn(dave, 1, false)
    const next = await createPerson(dave.userId, world.url(), { iat: issuedAtMs / 1000 })
    expect([await isIn(next, 0), await isIn(next, 1)]).toEqual([true, true])
    // An earlier time takes nothing back.
    await revoke(dave, new Date(issuedAtMs - 20_000))
    expect(await isIn(dave, 0)).toBe(false)
  })

  it('refuses tokens that do not say when they were issued', async () => {
    const dave = await personWith(undefined)
    expect(await isIn(dave, 0)).toBe(true)
    await revoke(dave, new Date(clock.now() - 86_400_000))
    expect(await isIn(dave, 0)).toBe(false)
  })

  it('is not taken for the future, which nobody could take back', async () => {
    const dave = await personWith(clock.now())
    await expect(revoke(dave, allOver())).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'issuedBefore' })
    expect(await isIn(dave, 0)).toBe(true)
  })
})

it('closes the socket of GraphiQL that runs an operation with the token of somebody banned', async () => {
  const userId = `mallory-${randomUUID().slice(0, 8)}`
  const authorization = `Bearer ${await signToken(userId)}`
  const socket = new WebSocket(`${world.url().replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  const closed = once(socket, 'close')
  await once(socket, 'open')
  socket.send('{"type":"connection_init"}')
  await once(socket, 'message')
  const query = 'subscription { messageAdded { message { id } } }'
  const payload = { query, extensions: { headers: { authorization } } }
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload }))
  await world.online({ userId } as Person)
  await ban({ userId })
  expect((await closed)[0]).toBe(4403)
})

it('holds on a node that is started again', async () => {
  const mallory = await world.person('mallory')
  await ban(mallory)
  await world.nodes.at(-1)?.stop()
  await world.startNode()
  const node = world.nodes.at(-1)?.url ?? ''
  await expect(mallory.ask('{ viewer { id } }', {}, { node })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
})
