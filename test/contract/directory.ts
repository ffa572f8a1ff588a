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

  const aMembership = async () => {
    const member = { userId: aUser(), conversationId: aConversation() }
    await open().add(member.userId, { conversationId: member.conversationId, joinedSeq: 2 })
    return member
  }

  test('many are found in the order asked for', async () => {
    const members = await Promise.all(upTo(110).map(aMembership))
    const stranger = { userId: aUser(), conversationId: members[0]?.conversationId ?? aConversation() }
    const found = await open().getMany([stranger, ...members, ...members.slice(0, 2)])
    const ids = members.map(({ conversationId }) => conversationId)
    expect(found.map((each) => each?.conversationId)).toEqual([undefined, ...ids, ...ids.slice(0, 2)])
    expect(await open().getMany([])).toEqual([])
  })

  test('a setting changes alone, the others and where they joined stay', async () => {
    const member = await aMembership()
    const row = { conversationId: member.conversationId, joinedSeq: 2 }
    const pinned = { ...row, settings: { pinned: true, archived: false } }
    expect(await open().configure(member, { pinned: true })).toEqual(pinned)
    const muted = { ...row, settings: { mutedUntilMs: 1_800_000_000_123, pinned: true, archived: false } }
    expect(await open().configure(member, { mutedUntilMs: 1_800_000_000_123 })).toEqual(muted)
    expect(await open().ofUser(member.userId)).toEqual([muted])
    expect(await open().getMany([member])).toEqual([muted])
    const archived = { ...row, settings: { mutedUntilMs: 1_800_000_000_123, pinned: false, archived: true } }
    expect(await open().configure(member, { pinned: false, archived: true })).toEqual(archived)
    await open().add(member.userId, row)
    expect(await open().ofUser(member.userId)).toEqual([archived])
  })

  test('null ends a mute, with or without a change beside it', async () => {
    const member = await aMembership()
    const row = { conversationId: member.conversationId, joinedSeq: 2 }
    expect(await open().configure(member, { mutedUntilMs: null })).toEqual(row)
    await open().configure(member, { mutedUntilMs: 5 })
    expect(await open().configure(member, { mutedUntilMs: null })).toEqual(row)
    await open().configure(member, { mutedUntilMs: 5, archived: true })
    expect(await open().configure(member, { mutedUntilMs: null, archived: false })).toEqual(row)
  })

  test('settings make no membership', async () => {
    const member = { userId: aUser(), conversationId: aConversation() }
    expect(await open().configure(member, { pinned: true })).toBeUndefined()
    expect(await open().configure(member, { mutedUntilMs: null })).toBeUndefined()
    expect(await open().ofUser(member.userId)).toEqual([])
  })

  test('settings are one member’s own', async () => {
    const [one, conversationId] = [await aMembership(), aConversation()]
    await open().add(one.userId, { conversationId, joinedSeq: 0 })
    await open().configure(one, { pinned: true })
    expect(await open().getMany([{ userId: one.userId, conversationId }])).toEqual([{ conversationId, joinedSeq: 0 }])
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
