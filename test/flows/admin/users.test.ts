import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../../kit/service.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
let backend: Service
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
  backend = await createService('backend', world.url())
})
afterAll(() => world.stop())

const fields = 'id name avatarUrl metadata banned bannedUntil erasedAt lastSeenAt'
type Shown = { id: string; name: string | null; metadata: unknown; lastSeenAt: string | null }

const upsert = async (users: object[]) =>
  (
    await backend.ask<{ upsertUsers: { users: Shown[] } }>(
      `mutation ($input: UpsertUsersInput!) { upsertUsers(input: $input) { users { ${fields} } } }`,
      { input: { users } },
    )
  ).upsertUsers.users

const userOf = async (id: string) =>
  (await backend.ask<{ user: Shown | null }>(`query ($id: ID!) { user(id: $id) { ${fields} } }`, { id })).user

const aName = (name: string) => `${name}-${randomUUID().slice(0, 8)}`

describe('upsertUsers', () => {
  it('makes users who were never here, and others see them at once', async () => {
    const alice = await world.person('alice', { node: 1 })
    const id = aName('shop')
    const avatarUrl = 'https://example.com/shop.png'
    const wanted = { id, name: 'The Shop', avatarUrl, metadata: { tier: 'gold', tags: ['a', 1] } }
    const made = { ...wanted, banned: false, bannedUntil: null, erasedAt: null, lastSeenAt: null }
    expect(await upsert([wanted])).toEqual([made])
    expect(await userOf(id)).toEqual(made)
    await alice.send({ userId: id }, 'hello')
    const seen = await alice.ask('query ($id: ID!) { node(id: $id) { ... on User { name avatarUrl metadata } } }', {
      id,
    })
    expect(seen).toEqual({ node: { name: 'The Shop', avatarUrl, metadata: wanted.metadata } })
  })

  it('leaves what is not given, and null takes away', async () => {
    const id = aName('bob')
    await upsert([{ id, name: 'Bob', metadata: { a: 1 } }])
    expect(await upsert([{ id, metadata: { b: 2 } }])).toMatchObject([{ name: 'Bob', metadata: { b: 2 } }])
    expect(await upsert([{ id, name: null }])).toMatchObject([{ name: null, metadata: { b: 2 } }])
    expect(await upsert([{ id, metadata: null }])).toMatchObject([{ name: null, metadata: null }])
    expect(await upsert([{ id }])).toMatchObject([{ id, name: null }])
  })

  it('makes a user of an id alone', async () => {
    const id = aName('nobody')
    expect(await userOf(id)).toBeNull()
    await upsert([{ id }])
    expect(await userOf(id)).toMatchObject({ id, name: null })
  })

  it('takes a hundred at a time, in their order, and writes none where one is bad', async () => {
    const users = Array.from({ length: 100 }, (_, i) => ({ id: aName(`u${i}`), name: `User ${i}` }))
    expect((await upsert(users)).map(({ id, name }) => ({ id, name }))).toEqual(users)
    const [fresh, bad] = [aName('fresh'), { id: aName('bad'), name: 'two\nlines' }]
    await expect(upsert([{ id: fresh }, bad])).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'users.1.name' })
    expect(await userOf(fresh)).toBeNull()
    await expect(upsert([...users, { id: fresh }])).rejects.toMatchObject({ field: 'users' })
    await expect(upsert([])).rejects.toMatchObject({ field: 'users' })
    await expect(upsert([{ id: fresh }, { id: fresh }])).rejects.toMatchObject({ field: 'users' })
    await expect(upsert([{ id: 'grp_1' }])).rejects.toMatchObject({ field: 'users.0.id' })
    await expect(upsert([{ id: fresh, metadata: [1] }])).rejects.toMatchObject({ field: 'users.0.metadata' })
    await expect(upsert([{ id: fresh, avatarUrl: 'http://x.example' }])).rejects.toMatchObject({
      field: 'users.0.avatarUrl',
    })
  })
})

it('a user who has only ever come by a token without a name is known', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  expect(await userOf(alice.userId)).toBeNull()
  await alice.send(bob, 'hello')
  expect(await userOf(alice.userId)).toMatchObject({ id: alice.userId, name: null, lastSeenAt: null })
  const stream = bob.follow()
  await world.online(bob)
  await stream.stop()
  await world.offline(bob)
  expect((await userOf(bob.userId))?.lastSeenAt).toMatch(/^20/)
})

it('strangers are shown nothing of what backends have put beside a user', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  await upsert([{ id: bob.userId, name: 'Bob', metadata: { secret: 1 } }])
  const node = await alice.ask('query ($id: ID!) { node(id: $id) { id } }', { id: bob.userId })
  expect(node).toEqual({ node: null })
})
