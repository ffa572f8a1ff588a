import { expect, test } from 'vitest'
import type { Conversation, ConversationStore, MembershipStore } from '../../../src/ports/conversations.ts'
import type { Profile, ProfileStore } from '../../../src/ports/people.ts'
import type { UserId } from '../../../src/protocol/ids.ts'
import { aConversation, aGroup, aUser, upTo } from '../../kit/ids.ts'

export function conversationsContract(open: () => ConversationStore): void {
  test('a conversation comes back as it was created', async () => {
    const group = aGroup({ members: [aUser(), aUser(), aUser()], title: 'Tea ☕' })
    const direct: Conversation = { id: aConversation(), kind: 'DIRECT', members: [aUser()] }
    await open().create(group)
    await open().create(direct)
    expect(await open().getMany([group.id])).toEqual([group])
    expect(await open().getMany([direct.id])).toEqual([direct])
  })

  test('creating it again changes nothing', async () => {
    const first = aGroup({ title: 'first' })
    await open().create(first)
    await open().create({ ...first, title: 'second', members: [aUser()] })
    expect(await open().getMany([first.id])).toEqual([first])
  })

  test('of twenty who create it at once one wins, whole', async () => {
    const id = aConversation()
    const rivals = upTo(20).map((n) => aGroup({ id, title: `${n}` }))
    await Promise.all(rivals.map((rival) => open().create(rival)))
    const [standing] = await open().getMany([id])
    expect(rivals).toContainEqual(standing)
  })

  test('how long messages are kept is no part of what changes of a group replace, and the floor only rises', async () => {
    const group = aGroup({ title: 'Tea', metadata: '{"a":1}' })
    const direct: Conversation = { id: aConversation(), kind: 'DIRECT', members: [aUser()] }
    for (const conversation of [group, direct]) {
      const { id } = conversation
      const retention = async () => (await open().getMany([id]))[0]?.retention
      await open().create(conversation)
      await open().raiseFloor(id, 5, 30)
      expect(await retention()).toBeUndefined()
      await open().setRetention(id, 30)
      expect(await retention()).toEqual({ days: 30, floorSeq: 0, emptiedSeq: 0 })
      for (const seq of [5, 3]) await open().raiseFloor(id, seq, 30)
      await open().raiseFloor(id, 9, 7)
      for (const seq of [4, 2]) await open().noteEmptied(id, seq)
      expect(await retention()).toEqual({ days: 30, floorSeq: 5, emptiedSeq: 4 })
      await open().setRetention(id, undefined)
      await open().raiseFloor(id, 9, 30)
      expect(await retention()).toEqual({ floorSeq: 5, emptiedSeq: 4 })
    }
    const { metadata: _metadata, ...rest } = group
    const next = { ...rest, title: 'Coffee', version: group.version + 1 }
    await open().setRetention(group.id, 7)
    expect(await open().replace(next, group.version)).toBe(true)
    expect(await open().getMany([group.id])).toEqual([{ ...next, retention: { days: 7, floorSeq: 5, emptiedSeq: 4 } }])
    expect(await open().replace({ ...next, title: 'Late' }, group.version)).toBe(false)
    const nowhere = aConversation()
    await open().setRetention(nowhere, 7)
    await open().noteEmptied(nowhere, 7)
    expect(await open().getMany([nowhere])).toEqual([])
  })

  test('many are found, each once, and the missing ones left out', async () => {
    const created = upTo(130).map(() => aGroup())
    await Promise.all(created.map((conversation) => open().create(conversation)))
    const ids = created.map(({ id }) => id)
    const found = await open().getMany([...ids, aConversation(), ...ids.slice(0, 5)])
    expect(found).toHaveLength(130)
    expect(found).toEqual(expect.arrayContaining(created))
    expect(await open().getMany([])).toEqual([])
  })

  test('a group of 1,024 members with the longest ids comes back, each with their role and in their order', async () => {
    const members = upTo(1024).map((n) => `${'x'.repeat(123)}|${1000 + n}` as UserId)
    const group = aGroup({ members, pastVersions: upTo(1000).map((n) => 2_000_000_000 + n) })
    await open().create(group)
    const [found] = await open().getMany([group.id])
    expect(found).toEqual(group)
    expect(found?.members).toEqual(members)
  })

  test('nobody sits down by the name of something every object has', async () => {
    const odd = ['__proto__', 'constructor', 'toString'] as UserId[]
    const group = aGroup({ members: odd })
    await open().create(group)
    const [found] = await open().getMany([group.id])
    expect(found).toEqual(group)
    const [other] = [aGroup()]
    await open().create(other)
    const [seen] = await open().getMany([other.id])
    expect(odd.map((userId) => seen?.kind === 'GROUP' && seen.membersById.get(userId))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('a group is replaced by the one who knows its version', async () => {
    const group = aGroup({ version: 4 })
    await open().create(group)
    const next = aGroup({ id: group.id, title: 'Coffee', members: [aUser()], version: 9 })
    expect(await open().replace(next, 3)).toBe(false)
    expect(await open().getMany([group.id])).toEqual([group])
    expect(await open().replace(next, 4)).toBe(true)
    expect(await open().replace({ ...next, title: 'late', version: 10 }, 4)).toBe(false)
    expect(await open().getMany([group.id])).toEqual([next])
  })

  test('of twenty who replace it at once one does', async () => {
    const group = aGroup({ version: 1 })
    await open().create(group)
    const done = await Promise.all(upTo(20).map((n) => open().replace({ ...group, title: `${n}`, version: 1 + n }, 1)))
    expect(done.filter(Boolean)).toHaveLength(1)
    expect(await open().getMany([group.id])).toEqual([expect.objectContaining({ version: 2 + done.indexOf(true) })])
  })

  test('metadata of a direct chat comes and goes by itself, that of a group with the group', async () => {
    const direct: Conversation = { id: aConversation(), kind: 'DIRECT', members: [aUser(), aUser()] }
    const group = aGroup({ version: 1, metadata: '{"a":1}' })
    await open().create(direct)
    await open().create(group)
    await open().setMetadata(direct.id, '{"b":2}')
    await open().setMetadata(group.id, '{"b":2}')
    expect(await open().getMany([direct.id])).toEqual([{ ...direct, metadata: '{"b":2}' }])
    expect(await open().getMany([group.id])).toEqual([group])
    await open().setMetadata(direct.id, undefined)
    expect(await open().getMany([direct.id])).toEqual([direct])
    const { metadata: _gone, ...rest } = group
    expect(await open().replace({ ...rest, version: 2 }, 1)).toBe(true)
    expect(await open().getMany([group.id])).toEqual([{ ...rest, version: 2 }])
  })

  test('metadata makes no conversation', async () => {
    const id = aConversation()
    await open().setMetadata(id, '{}')
    expect(await open().getMany([id])).toEqual([])
  })

  test('what is not there cannot be replaced', async () => {
    const group = aGroup()
    expect(await open().replace(group, 0)).toBe(false)
    expect(await open().getMany([group.id])).toEqual([])
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

  test('a conversation is founded for a thousand at once', async () => {
    const userIds = upTo(1024).map(aUser)
    const membership = { conversationId: aConversation(), joinedSeq: 1 }
    await open().addFirst(userIds, membership)
    await open().addFirst(userIds, membership)
    const found = await Promise.all(
      [userIds[0], userIds[500], userIds[1023]].map((userId) => open().ofUser(userId as UserId)),
    )
    expect(found).toEqual([[membership], [membership], [membership]])
  })

  test('adding again keeps the later joinedSeq', async () => {
    const userId = aUser()
    const membership = { conversationId: aConversation(), joinedSeq: 3 }
    await open().add(userId, membership)
    await open().add(userId, { ...membership, joinedSeq: 9 })
    await open().add(userId, { ...membership, joinedSeq: 5 })
    expect(await open().ofUser(userId)).toEqual([{ ...membership, joinedSeq: 9 }])
  })

  test('one that is removed is gone, unless the user has come again since', async () => {
    const userId = aUser()
    const [left, back] = [aConversation(), aConversation()]
    await open().add(userId, { conversationId: left, joinedSeq: 3 })
    await open().add(userId, { conversationId: back, joinedSeq: 7 })
    await open().remove(userId, left, 5)
    await open().remove(userId, back, 5)
    await open().remove(userId, aConversation(), 5)
    expect(await open().ofUser(userId)).toEqual([{ conversationId: back, joinedSeq: 7 }])
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

  test('what a backend puts beside a user leaves the rest, and makes a user of nothing but an id', async () => {
    const [userId, other] = [aUser(), aUser()]
    expect(await open().change(userId, { metadata: '{"a":1}' })).toEqual({ userId, metadata: '{"a":1}' })
    expect(await open().put({ userId, name: 'Zoë' })).toEqual({ userId, name: 'Zoë', metadata: '{"a":1}' })
    expect(await open().change(userId, { metadata: null, ownName: 'Z' })).toEqual({ userId, name: 'Zoë', ownName: 'Z' })
    expect(await open().change(userId, {})).toEqual({ userId, name: 'Zoë', ownName: 'Z' })
    expect(await open().change(other, {})).toEqual({ userId: other })
    expect(await open().getMany([other])).toEqual([{ userId: other }])
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
