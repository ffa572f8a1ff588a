import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { createGroup, leave, membersOf, updateMembers, viewOf } from '../../kit/group-of.ts'
import { ApiError, type Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

// No user is put into groups against their will: not by a user they have blocked, not back into a group they left, and not into any number of
// groups.

let world: World
const groupQuotas = { groupsPerHour: 5, additionsPerHour: 20, changesPerHour: 10, chatsPerHour: 6 }
beforeAll(async () => {
  world = await startWorld({ nodes: 2, config: { groupQuotas } })
})
afterAll(() => world.stop())

const threePeople = async (): Promise<[Person, Person, Person]> => [
  await world.person('alice'),
  await world.person('bob', { node: 1 }),
  await world.person('carol', { node: 1 }),
]
const names = (view: Parameters<typeof membersOf>[0] | null) =>
  membersOf(view ?? expect.fail()).map((member) => member.split(' ')[0])

describe('whoever has blocked somebody', () => {
  it('is not in the groups these make, and nobody is told', async () => {
    const [alice, bob, carol] = await threePeople()
    await bob.setBlocked(alice, true)
    const group = await createGroup(alice, [bob, carol])
    expect(names(group)).toEqual(['alice', 'carol'])
    expect((await bob.conversations()).edges).toEqual([])
    expect(await viewOf(bob, group.id)).toBeNull()
    expect(names(await viewOf(carol, group.id))).toEqual(['alice', 'carol'])
  })

  it('is not added by them later, not with a role either; what else was asked for happens', async () => {
    const [alice, bob, carol] = await threePeople()
    const group = await createGroup(alice, [])
    await bob.setBlocked(alice, true)
    const view = await updateMembers(alice, group.id, { add: [bob, carol], roles: [[bob, 'ADMIN']] })
    expect(membersOf(view)).toEqual(['alice OWNER 1', 'carol MEMBER 2'])
    expect(names(await updateMembers(alice, group.id, { add: [bob] }))).toEqual(['alice', 'carol'])
    expect((await bob.conversations()).edges).toEqual([])
  })

  it('is added by others, stays in the groups they share, and is added again when the block is lifted', async () => {
    const [alice, bob, carol] = await threePeople()
    const { id } = await createGroup(alice, [carol])
    await updateMembers(alice, id, { roles: [[carol, 'ADMIN']] })
    await bob.setBlocked(alice, true)
    expect(names(await updateMembers(carol, id, { add: [bob] }))).toEqual(['alice', 'carol', 'bob'])
    expect(membersOf(await updateMembers(alice, id, { roles: [[bob, 'ADMIN']] }))).toContain('bob ADMIN 3')
    await updateMembers(alice, id, { remove: [bob] })
    expect(names(await updateMembers(alice, id, { add: [bob] }))).toEqual(['alice', 'carol'])
    await bob.setBlocked(alice, false)
    expect(names(await updateMembers(alice, id, { add: [bob] }))).toEqual(['alice', 'carol', 'bob'])
  })

  it('changes nothing about a retry of what was made before, or after', async () => {
    const [alice, bob, carol] = await threePeople()
    const request = { clientGroupId: randomUUID() }
    const before = await createGroup(alice, [bob, carol], request)
    await bob.setBlocked(alice, true)
    expect(await createGroup(alice, [bob, carol], request)).toEqual(before)
    expect(names(before)).toEqual(['alice', 'bob', 'carol'])

    const other = { clientGroupId: randomUUID() }
    const without = await createGroup(alice, [bob, carol], other)
    await bob.setBlocked(alice, false)
    expect(await createGroup(alice, [bob, carol], other)).toEqual(without)
    expect(names(without)).toEqual(['alice', 'carol'])
  })
})

describe('whoever left a group', () => {
  it('is not taken back, by nobody in it, until they have written to the one who does', async () => {
    const [alice, bob, carol] = await threePeople()
    const { id } = await createGroup(alice, [bob, carol])
    await updateMembers(alice, id, { roles: [[carol, 'ADMIN']] })
    await bob.send(alice, 'I shall leave')
    await leave(bob, id)
    for (const admin of [alice, carol]) {
      expect(names(await updateMembers(admin, id, { add: [bob], roles: [] }))).toEqual(['alice', 'carol'])
    }
    await alice.send(bob, 'come back!')
    expect(names(await updateMembers(alice, id, { add: [bob] }))).toEqual(['alice', 'carol'])
    expect(await viewOf(bob, id)).toBeNull()

    await bob.send(alice, 'take me back')
    expect(names(await updateMembers(carol, id, { add: [bob] }))).toEqual(['alice', 'carol'])
    expect(names(await updateMembers(alice, id, { add: [bob] }))).toEqual(['alice', 'carol', 'bob'])
    // They are back as if they had never left: a user who may remove them may also add them again.
    await updateMembers(carol, id, { remove: [bob] })
    expect(names(await updateMembers(carol, id, { add: [bob] }))).toEqual(['alice', 'carol', 'bob'])
    await leave(bob, id)
    expect(names(await updateMembers(alice, id, { add: [bob] }))).toEqual(['alice', 'carol'])
  })

  it('and was removed instead is taken back without a word', async () => {
    const [alice, bob] = await threePeople()
    const { id } = await createGroup(alice, [bob])
    await updateMembers(alice, id, { remove: [bob] })
    expect(names(await updateMembers(alice, id, { add: [bob] }))).toEqual(['alice', 'bob'])
  })
})

describe('one user in an hour', () => {
  it('makes so many groups and no more; a refusal leaves nothing', async () => {
    const alice = await world.person('alice')
    for (let i = 0; i < 5; i += 1) await createGroup(alice, [])
    const refused = await createGroup(alice, []).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ApiError)
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', retryable: true })
    expect((await alice.conversations()).edges).toHaveLength(5)
  })

  it('adds so many people to groups and no more, whether they make them or change them', async () => {
    const [alice, bob] = await threePeople()
    const somebody = (count: number) => Array.from({ length: count }, () => ({ userId: `x-${randomUUID()}` }) as Person)
    const { id } = await createGroup(alice, somebody(15))
    await expect(updateMembers(alice, id, { add: somebody(6) })).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await expect(createGroup(alice, somebody(6))).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    expect((await updateMembers(alice, id, { add: [...somebody(4), bob] })).memberships).toHaveLength(21)
    await expect(updateMembers(alice, id, { add: somebody(1) })).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    // A user who is in the group already costs nothing.
    expect((await updateMembers(alice, id, { add: [bob] })).memberships).toHaveLength(21)
    const ports = world.nodes[0]?.parts.ports ?? expect.fail()
    expect(await ports.memberships.ofUser(alice.userId as UserId)).toHaveLength(1)
    expect((await ports.conversations.getMany([id as ConversationId]))[0]?.members).toHaveLength(21)
  })

  it('begins so many direct chats and no more, whoever writes first; those that are there go on', async () => {
    const [alice, bob, carol] = await threePeople()
    await carol.send(alice, 'hello')
    await alice.send(carol, 'hello')
    await alice.send(bob, 'hello')
    for (let i = 0; i < 5; i += 1) await alice.send({ userId: `x-${randomUUID()}` }, 'hello')
    const stranger = await world.person('stranger')
    await expect(alice.send(stranger, 'hello')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryable: true })
    expect((await stranger.conversations()).edges).toEqual([])
    await alice.send(bob, 'and again')
    await stranger.send(alice, 'hello')
    await alice.send(stranger, 'hello')
  })

  it('changes groups so often and no more; what is so already costs nothing, and everybody may leave', async () => {
    const [alice, bob] = await threePeople()
    const { id } = await createGroup(alice, [bob])
    for (let i = 0; i < 5; i += 1) {
      await updateMembers(alice, id, { roles: [[bob, 'ADMIN']] })
      await updateMembers(alice, id, { roles: [[bob, 'ADMIN']] })
      await updateMembers(alice, id, { roles: [[bob, 'MEMBER']] })
    }
    const refused = { code: 'RATE_LIMITED', retryable: true }
    await expect(updateMembers(alice, id, { roles: [[bob, 'ADMIN']] })).rejects.toMatchObject(refused)
    await expect(updateMembers(alice, id, { remove: [bob] })).rejects.toMatchObject(refused)
    expect(membersOf((await viewOf(alice, id)) ?? expect.fail())).toEqual(['alice OWNER 1', 'bob MEMBER 1'])
    await leave(alice, id)
    expect(names(await viewOf(bob, id))).toEqual(['bob'])
  })
})
