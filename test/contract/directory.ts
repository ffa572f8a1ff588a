import { expect, test } from 'vitest'
import type { Conversation, ConversationStore, MembershipStore, Profile, ProfileStore } from '../../src/domain/ports.ts'
import { aConversation, aUser, upTo } from '../kit/ids.ts'

export function conversationsContract(open: () => ConversationStore): void {
  test('a conversation comes back as it was created, with or without a title', async () => {
    const group: Conversation = {
      id: aConversation(),
      kind: 'GROUP',
      members: [aUser(), aUser(), aUser()],
      title: 'Tea ☕',
    }
    const direct: Conversation = { id: aConversation(), kind: 'DIRECT', members: [aUser()] }
    await open().create(group)
    await open().create(direct)
    expect(await open().getMany([group.id])).toEqual([group])
    expect(await open().getMany([direct.id])).toEqual([direct])
  })

  test('creating it again changes nothing', async () => {
    const first: Conversation = { id: aConversation(), kind: 'GROUP', members: [aUser()], title: 'first' }
    await open().create(first)
    await open().create({ ...first, title: 'second', members: [aUser()] })
    expect(await open().getMany([first.id])).toEqual([first])
  })

  test('of twenty who create it at once one wins, whole', async () => {
    const id = aConversation()
    const rivals = upTo(20).map((n): Conversation => ({ id, kind: 'GROUP', members: [aUser()], title: `${n}` }))
    await Promise.all(rivals.map((rival) => open().create(rival)))
    const [standing] = await open().getMany([id])
    expect(rivals).toContainEqual(standing)
  })

  test('many are found, each once, and the missing ones left out', async () => {
    const created = upTo(130).map((): Conversation => ({ id: aConversation(), kind: 'GROUP', members: [aUser()] }))
    await Promise.all(created.map((conversation) => open().create(conversation)))
    const ids = created.map(({ id }) => id)
    const found = await open().getMany([...ids, aConversation(), ...ids.slice(0, 5)])
    expect(found).toHaveLength(130)
    expect(found).toEqual(expect.arrayContaining(created))
    expect(await open().getMany([])).toEqual([])
  })

  test('members keep their order, a hundred of them', async () => {
    const members = upTo(100).map(aUser)
    const id = aConversation()
    await open().create({ id, kind: 'GROUP', members })
    expect((await open().getMany([id]))[0]?.members).toEqual(members)
  })
}

export function membershipsContract(open: () => MembershipStore): void {
  test('a user has the memberships that were added, and no others', async () => {
    const [userId, other] = [aUser(), aUser()]
    const memberships = upTo(120).map((seq) => ({ conversationId: aConversation(), joinedSeq: seq - 1 }))
    await Promise.all(memberships.map((membership) => open().add(userId, membership)))
    await open().add(other, { conversationId: aConversation(), joinedSeq: 0 })
    const found = await open().ofUser(userId)
    expect(found).toHaveLength(120)
    expect(found).toEqual(expect.arrayContaining(memberships))
    expect(await open().ofUser(aUser())).toEqual([])
  })

  test('adding again changes nothing', async () => {
    const userId = aUser()
    const membership = { conversationId: aConversation(), joinedSeq: 3 }
    await open().add(userId, membership)
    await open().add(userId, { ...membership, joinedSeq: 9 })
    expect(await open().ofUser(userId)).toEqual([membership])
  })
}

export function profilesContract(open: () => ProfileStore): void {
  test('the last put profile stands, a name can come and go', async () => {
    const userId = aUser()
    await open().put({ userId, name: 'Zoë 🦊' })
    expect(await open().getMany([userId])).toEqual([{ userId, name: 'Zoë 🦊' }])
    await open().put({ userId })
    expect(await open().getMany([userId])).toEqual([{ userId }])
    await open().put({ userId, name: 'Zoe' })
    expect(await open().getMany([userId])).toEqual([{ userId, name: 'Zoe' }])
  })

  test('a token’s name leaves what they chose, and what they chose leaves the token’s name', async () => {
    const userId = aUser()
    const avatarUrl = 'https://example.com/zoe.png'
    expect(await open().change(userId, { ownName: 'Zoë', avatarUrl })).toEqual({ userId, ownName: 'Zoë', avatarUrl })
    expect(await open().put({ userId, name: 'Z. Token' })).toEqual({
      userId,
      name: 'Z. Token',
      ownName: 'Zoë',
      avatarUrl,
    })
    expect(await open().change(userId, { ownName: null })).toEqual({ userId, name: 'Z. Token', avatarUrl })
    expect(await open().change(userId, { avatarUrl: null, ownName: 'Z' })).toEqual({
      userId,
      name: 'Z. Token',
      ownName: 'Z',
    })
    expect(await open().getMany([userId])).toEqual([{ userId, name: 'Z. Token', ownName: 'Z' }])
  })

  test('many are found, each once, and the missing ones left out', async () => {
    const profiles = upTo(130).map((n): Profile => ({ userId: aUser(), name: `name ${n}` }))
    await Promise.all(profiles.map((profile) => open().put(profile)))
    const ids = profiles.map(({ userId }) => userId)
    const found = await open().getMany([aUser(), ...ids, ...ids.slice(0, 5)])
    expect(found).toHaveLength(130)
    expect(found).toEqual(expect.arrayContaining(profiles))
    expect(await open().getMany([])).toEqual([])
  })
}
