import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPeople } from '../../../src/domain/people/people.ts'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { UserId } from '../../../src/protocol/ids.ts'
import { createProfilesEmbedded } from '../../../src/store/embedded/profiles.ts'
import { createPerson, type Person, type ShownProfile } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

const avatarUrl = 'https://example.com/alice.png'

async function shown(to: Person, { userId }: { userId: string }, node = to.url): Promise<ShownProfile> {
  const query = 'query ($id: ID!) { node(id: $id) { id ... on User { name avatarUrl } } }'
  return (await to.ask<{ node: ShownProfile }>(query, { id: userId }, { node })).node
}

describe('updateProfile', () => {
  it('sets name and picture for others to see, on whatever node', async () => {
    const [alice, bob] = [await world.person('alice', { displayName: 'Token' }), await world.person('bob', { node: 1 })]
    await alice.send(bob, 'hi')
    const profile = { id: alice.userId, name: 'Alice 🦊', avatarUrl }
    expect(await alice.updateProfile({ name: 'Alice 🦊', avatarUrl })).toEqual(profile)
    expect(await shown(alice, alice)).toEqual(profile)
    expect(await shown(bob, alice)).toEqual(profile)
  })

  it('leaves what is not given, and takes away what is null: the token’s name comes back', async () => {
    const alice = await world.person('alice', { displayName: 'Token' })
    await alice.updateProfile({ name: 'Own', avatarUrl })
    expect(await alice.updateProfile({ name: 'Other' })).toMatchObject({ name: 'Other', avatarUrl })
    expect(await alice.updateProfile({})).toMatchObject({ name: 'Other', avatarUrl })
    expect(await alice.updateProfile({ avatarUrl: null })).toMatchObject({ name: 'Other', avatarUrl: null })
    expect(await alice.updateProfile({ name: null })).toMatchObject({ name: 'Token' })
  })

  it('is not undone by the name of a later token, on whatever node', async () => {
    const userId = `alice-${randomUUID()}`
    const alice = await createPerson(userId, world.url(0), { name: 'First token' })
    await alice.updateProfile({ name: 'Own' })
    const later = await createPerson(userId, world.url(1), { name: 'Second token' })
    const bob = await world.person('bob', { node: 1 })
    await later.send(bob, 'hi')
    expect((await shown(later, later)).name).toBe('Own')
    expect((await shown(bob, alice)).name).toBe('Own')
    // Once the user's own name is gone, the name is that of the newest token.
    const { ports } = world.nodes[0]?.parts ?? expect.fail()
    await expect.poll(async () => (await ports.profiles.getMany([userId as UserId]))[0]?.name).toBe('Second token')
  })

  it.each([
    ['an empty name', { name: '' }, 'name'],
    ['a name nobody can see', { name: '\u200b \u2800' }, 'name'],
    ['a name of 101 characters', { name: '🦊'.repeat(101) }, 'name'],
    ['half a surrogate pair', { name: 'a\ud800' }, 'name'],
    ['a NUL', { name: 'a\0b' }, 'name'],
    ['a name of two lines', { name: 'Alice\nBob' }, 'name'],
    ['a line separator', { name: 'Alice\u2028Bob' }, 'name'],
    ['a name that turns the text after it around', { name: 'Alice \u202e' }, 'name'],
    ['a name in an isolate that is never closed', { name: '\u2067Alice' }, 'name'],
    ['a picture without encryption', { avatarUrl: 'http://example.com/a.png' }, 'avatarUrl'],
    ['a picture on the viewer’s own machine', { avatarUrl: 'http://localhost/a.png' }, 'avatarUrl'],
    ['a script', { avatarUrl: 'javascript:alert(1)' }, 'avatarUrl'],
    ['a picture in the URL itself', { avatarUrl: 'data:image/png;base64,AAAA' }, 'avatarUrl'],
    ['a path', { avatarUrl: '/a.png' }, 'avatarUrl'],
    ['a URL with a password', { avatarUrl: 'https://me:secret@example.com/a.png' }, 'avatarUrl'],
    ['a URL with a line break', { avatarUrl: 'https://example.com/\na.png' }, 'avatarUrl'],
    ['an empty URL', { avatarUrl: '' }, 'avatarUrl'],
    ['a URL of 2,049 characters', { avatarUrl: `https://example.com/${'a'.repeat(2029)}` }, 'avatarUrl'],
  ])('refuses %s, and changes nothing', async (_name, wrong, field) => {
    const alice = await world.person('alice')
    await alice.updateProfile({ name: 'Alice', avatarUrl })
    const input = { name: 'Changed', avatarUrl: 'https://example.com/changed.png', ...wrong }
    await expect(alice.updateProfile(input)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field })
    expect(await shown(alice, alice)).toMatchObject({ name: 'Alice', avatarUrl })
  })

  it('takes the longest name and the longest URL', async () => {
    const alice = await world.person('alice')
    const longest = { name: '🦊'.repeat(100), avatarUrl: `https://example.com/${'a'.repeat(2028)}` }
    expect(await alice.updateProfile(longest)).toMatchObject(longest)
  })
})

describe('by the clock', () => {
  it('a change made on another node is seen within a minute; one made here at once', async () => {
    let nowMs = 1
    const profiles = createProfilesEmbedded(createKeyValueMemory())
    const clock = { now: () => nowMs, monotonic: () => nowMs, sleep: async () => undefined }
    const node = () => createPeople({ profiles, clock }, 100)
    const [here, there] = [node(), node()]
    const alice = 'alice' as UserId
    await there.profilesOf([alice])
    await here.change(alice, { ownName: 'Alice' })
    expect(await here.profilesOf([alice])).toEqual([{ userId: alice, ownName: 'Alice' }])
    expect(await there.profilesOf([alice])).toEqual([{ userId: alice }])
    nowMs += 60_001
    expect(await there.profilesOf([alice])).toEqual([{ userId: alice, ownName: 'Alice' }])
  })

  it('in development a picture may come from this machine, and from no other without encryption', async () => {
    const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined }
    const people = createPeople({ profiles: createProfilesEmbedded(createKeyValueMemory()), clock }, 100, {
      localAvatars: true,
    })
    const alice = 'alice' as UserId
    for (const local of ['http://localhost:4000/a.png', 'http://127.0.0.1/a.png', 'http://[::1]:1/a.png']) {
      await people.change(alice, { avatarUrl: local })
      expect(await people.profilesOf([alice])).toEqual([{ userId: alice, avatarUrl: local }])
    }
    await expect(people.change(alice, { avatarUrl: 'http://localhost.example.com/' })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
    })
  })
})
