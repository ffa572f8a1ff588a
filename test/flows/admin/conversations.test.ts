import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGroup, leave, membersOf, updateMembers, viewOf } from '../../kit/group-of.ts'
import type { Person } from '../../kit/person.ts'
import { createService, type Service } from '../../kit/service.ts'
import { startWorld, type World } from '../../kit/world.ts'

// Groups that a backend makes and changes are the groups of their members.

let world: World
let backend: Service
let alice: Person
let bob: Person
let carol: Person
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
  backend = await createService(`backend-${randomUUID().slice(0, 8)}`, world.url())
  alice = await world.person('alice')
  bob = await world.person('bob', { node: 1 })
  carol = await world.person('carol')
})
afterAll(() => world.stop())

const fields =
  'id kind title metadata lastSeq retentionDays members { userId role joinedSeq lastDeliveredSeq lastReadSeq }'
type Shown = {
  id: string
  title: string | null
  metadata: unknown
  lastSeq: number
  members: { userId: string; role: string; joinedSeq: number; lastReadSeq: number }[]
}

const change = async (name: string, type: string, input: object): Promise<Shown> => {
  const answer = await backend.ask<Record<string, { conversation: Shown }>>(
    `mutation ($input: ${type}!) { ${name}(input: $input) { conversation { ${fields} } } }`,
    { input },
  )
  return answer[name]?.conversation ?? expect.fail()
}
const found = (owner: Person, others: readonly Person[], more: object = {}) =>
  change('createGroup', 'AdminCreateGroupInput', {
    clientGroupId: randomUUID(),
    title: 'Tea',
    ownerId: owner.userId,
    memberIds: others.map(({ userId }) => userId),
    ...more,
  })
const update = (conversationId: string, { add = [], remove = [] }: { add?: Person[]; remove?: Person[] }) =>
  change('updateMembers', 'AdminUpdateMembersInput', {
    conversationId,
    add: add.map(({ userId }) => userId),
    remove: remove.map(({ userId }) => userId),
  })
const describeAs = (conversationId: string, more: object) =>
  change('updateConversation', 'AdminUpdateConversationInput', { conversationId, ...more })
const conversation = async (id: string) =>
  (
    await backend.ask<{ conversation: Shown | null }>(`query ($id: ID!) { conversation(id: $id) { ${fields} } }`, {
      id,
    })
  ).conversation
const notices = async (person: Person, id: string) => {
  const { messages } = await person.ask<{
    messages: { edges: { node: { notice: { kind: string; actor: { id: string } } | null } }[] }
  }>(
    'query ($id: ID!) { messages(conversationId: $id, notices: true) { edges { node { notice { kind actor { id } } } } } }',
    { id },
  )
  return messages.edges
    .flatMap(({ node: { notice } }) => (notice ? [`${notice.kind} ${notice.actor.id}`] : []))
    .reverse()
}

describe('a group made by a backend', () => {
  it('has its owner, its members, its notice, and their words, like any other', async () => {
    const { id, ...made } = await found(alice, [bob], { metadata: { order: 17 } })
    expect(made).toMatchObject({ title: 'Tea', metadata: { order: 17 }, lastSeq: 1, retentionDays: null })
    const view = await viewOf(bob, id)
    expect(view && membersOf(view)).toEqual(['alice OWNER 1', 'bob MEMBER 1'])
    expect(await notices(alice, id)).toEqual([`CREATED ${backend.serviceId}`])
    await bob.send({ conversationId: id }, 'hello')
    await updateMembers(alice, id, { add: [carol] })
    expect((await conversation(id))?.members).toMatchObject([
      { userId: alice.userId, role: 'OWNER' },
      { userId: bob.userId, role: 'MEMBER' },
      { userId: carol.userId, role: 'MEMBER', joinedSeq: 3 },
    ])
    const seen = await carol.ask('query ($id: ID!) { conversation(id: $id) { metadata } }', { id })
    expect(seen).toEqual({ conversation: { metadata: { order: 17 } } })
  })

  it('is one group, however often it is asked for, and something else under its id is a conflict', async () => {
    const clientGroupId = randomUUID()
    const [one, other] = await Promise.all([
      found(alice, [bob], { clientGroupId }),
      found(alice, [bob], { clientGroupId }),
    ])
    expect(other.id).toBe(one.id)
    await update(one.id, { remove: [alice] })
    expect((await found(alice, [bob], { clientGroupId })).members).toHaveLength(1)
    for (const more of [{ title: 'Coffee' }, { ownerId: carol.userId }, { metadata: { a: 1 } }]) {
      await expect(found(alice, [bob], { clientGroupId, ...more })).rejects.toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
        field: 'clientGroupId',
      })
    }
    // The ids of users are their own.
    expect((await createGroup(alice, [bob], { clientGroupId })).id).not.toBe(one.id)
  })

  it('tells the streams of its members', async () => {
    const stream = bob.follow()
    await world.online(bob)
    const { id } = await found(alice, [bob])
    await alice.send({ conversationId: id }, 'welcome')
    await stream.sees(({ message }) => message.body === 'welcome' && message.conversationId === id)
    await stream.stop()
  })

  it('is refused where a value breaks a rule', async () => {
    await expect(found(alice, [], { title: ' ' })).rejects.toMatchObject({ field: 'title' })
    await expect(found(alice, [], { ownerId: 'dm_x' })).rejects.toMatchObject({ field: 'ownerId' })
    await expect(found(alice, [], { memberIds: ['msg_x'] })).rejects.toMatchObject({ field: 'memberIds' })
    await expect(found(alice, [], { clientGroupId: '#' })).rejects.toMatchObject({ field: 'clientGroupId' })
    const memberIds = Array.from({ length: 1024 }, (_, i) => `m${i}`)
    await expect(found(alice, [], { memberIds })).rejects.toMatchObject({ field: 'memberIds' })
  })
})

describe('updateMembers by a backend', () => {
  it('adds and removes whom it wants, in anybody’s group, with notices', async () => {
    const { id } = await createGroup(alice, [bob])
    const before = await update(id, { add: [carol], remove: [bob] })
    expect(before.members.map(({ userId }) => userId)).toEqual([alice.userId, carol.userId])
    expect(await viewOf(bob, id)).toBeNull()
    expect((await update(id, { add: [carol], remove: [bob] })).lastSeq).toBe(before.lastSeq)
    expect(await notices(alice, id)).toEqual([`CREATED ${alice.userId}`, `MEMBERS_ADDED ${backend.serviceId}`])
  })

  it('may remove the owner: the group gets another one, and is empty at last', async () => {
    const { id } = await createGroup(alice, [bob, carol])
    await updateMembers(alice, id, { roles: [[carol, 'ADMIN']] })
    const after = await update(id, { remove: [alice] })
    expect(after.members.map(({ userId, role }) => `${userId} ${role}`)).toEqual([
      `${bob.userId} MEMBER`,
      `${carol.userId} OWNER`,
    ])
    expect((await update(id, { remove: [bob, carol] })).members).toEqual([])
    expect((await update(id, { add: [bob] })).members).toMatchObject([{ userId: bob.userId, role: 'OWNER' }])
  })

  it('takes back who had left, as if they had come by themselves', async () => {
    const { id } = await createGroup(alice, [bob])
    await leave(bob, id)
    expect((await update(id, { add: [bob] })).members).toHaveLength(2)
    await updateMembers(alice, id, { remove: [bob] })
    // Alice may add them again: it was not bob who left at last.
    expect((await updateMembers(alice, id, { add: [bob] })).members).toHaveLength(2)
  })

  it('says what is refused', async () => {
    await alice.send(bob, 'hello')
    const chat = world.chatOf(alice, bob)
    await expect(update(chat, { add: [carol] })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'conversationId',
    })
    await expect(update('grp_1', { add: [carol] })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(update('no id at all', { add: [carol] })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const { id } = await createGroup(alice, [bob])
    await expect(update(id, { add: [carol], remove: [carol] })).rejects.toMatchObject({ field: 'remove' })
  })

  it('two at once, by a backend and by the owner, both take effect', async () => {
    const { id } = await createGroup(alice, [])
    await Promise.all([update(id, { add: [bob] }), updateMembers(alice, id, { add: [carol] })])
    const members = (await conversation(id))?.members.map(({ userId }) => userId).sort()
    expect(members).toEqual([alice.userId, bob.userId, carol.userId].sort())
  })
})

describe('updateConversation by a backend', () => {
  it('changes title and metadata of a group; of the metadata there is no notice', async () => {
    const { id } = await createGroup(alice, [bob])
    expect(await describeAs(id, { metadata: { a: 1 } })).toMatchObject({ title: 'Tea', metadata: { a: 1 } })
    expect(await describeAs(id, { title: 'Coffee' })).toMatchObject({ title: 'Coffee', metadata: { a: 1 } })
    await updateMembers(alice, id, { add: [carol] })
    const seen = await bob.ask('query ($id: ID!) { conversation(id: $id) { title metadata unreadCount } }', { id })
    expect(seen).toEqual({ conversation: { title: 'Coffee', metadata: { a: 1 }, unreadCount: 0 } })
    const { lastSeq } = await describeAs(id, { metadata: null })
    expect(await describeAs(id, { title: 'Coffee', metadata: null })).toMatchObject({ metadata: null, lastSeq })
    expect(await notices(alice, id)).toEqual([
      `CREATED ${alice.userId}`,
      `TITLE_CHANGED ${backend.serviceId}`,
      `MEMBERS_ADDED ${alice.userId}`,
    ])
  })

  it('a direct chat has metadata and no title', async () => {
    await alice.send(bob, 'hello')
    const id = world.chatOf(alice, bob)
    expect(await describeAs(id, { metadata: { ticket: 5 } })).toMatchObject({ title: null, metadata: { ticket: 5 } })
    const shown = 'query ($id: ID!) { conversation(id: $id) { metadata } }'
    expect(await bob.ask(shown, { id })).toEqual({ conversation: { metadata: { ticket: 5 } } })
    await describeAs(id, { metadata: { ticket: 6 } })
    expect(await bob.ask(shown, { id })).toEqual({ conversation: { metadata: { ticket: 6 } } })
    await expect(describeAs(id, { title: 'Us' })).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'title' })
    await expect(describeAs(id, { metadata: 'text' })).rejects.toMatchObject({ field: 'metadata' })
  })
})

it('conversationsOf walks through all conversations of a user', async () => {
  const [dora, eve] = [await world.person('dora'), await world.person('eve')]
  await dora.send(eve, 'hello')
  const groups = await Promise.all([1, 2, 3, 4].map(() => found(alice, [dora])))
  const left = groups[0]?.id ?? ''
  await leave(dora, left)
  const ids: string[] = []
  let after: string | null = null
  for (let pages = 0; pages < 10; pages += 1) {
    const page: { conversationsOf: Page } = await backend.ask(
      `query ($userId: ID!, $after: String) {
        conversationsOf(userId: $userId, first: 2, after: $after) { edges { node { id } } pageInfo { hasNextPage hasPreviousPage endCursor } }
      }`,
      { userId: dora.userId, after },
    )
    const { edges, pageInfo } = page.conversationsOf
    ids.push(...edges.map(({ node }) => node.id))
    expect(pageInfo.hasPreviousPage).toBe(after !== null)
    after = pageInfo.endCursor
    if (!pageInfo.hasNextPage) break
  }
  expect(ids).toEqual([world.chatOf(dora, eve), ...groups.slice(1).map(({ id }) => id)].sort())
  await expect(
    backend.ask('query ($c: String) { conversationsOf(userId: "someone", after: $c) { edges { cursor } } }', {
      c: after,
    }),
  ).rejects.toMatchObject({ code: 'INVALID_CURSOR', field: 'after' })
})

type Page = {
  edges: { node: { id: string } }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string | null }
}

it('a conversation that does not exist is null', async () => {
  expect(await conversation('grp_1')).toBeNull()
  expect(await conversation(world.chatOf(await world.person('x'), await world.person('y')))).toBeNull()
  expect(await conversation('msg_grp_1_1')).toBeNull()
})
