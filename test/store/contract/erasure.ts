import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Change, GroupChange, Message } from '../../../src/ports/log.ts'
import type { Stores } from '../../../src/ports/ports.ts'
import type { ClientMessageId, ConversationId, MessageId, UserId } from '../../../src/protocol/ids.ts'

const atMs = Date.UTC(2026, 5, 1)

/** What every table does when a user is erased. */
export function erasureContract(open: () => Stores): void {
  function someone() {
    const userId = `eve-${randomUUID()}` as UserId
    const pseudonym = `erased.${randomUUID()}` as UserId
    const conversationId = `grp_${randomUUID()}` as ConversationId
    const entry = (seq: number, senderId: UserId) => ({
      ...{ conversationId, seq, senderId, sentAtMs: atMs, messageId: '1' as MessageId },
      clientMessageId: `m${seq}-${userId}`.slice(0, 64) as ClientMessageId,
    })
    const erased = { userId, pseudonym, atMs }
    const at = async (seq: number) => open().messages.get({ conversationId, seq })
    const erase = (seq: number) => open().messages.erase({ conversationId, seq }, erased)
    return { userId, pseudonym, conversationId, entry, at, erase }
  }
  const bob = 'bob' as UserId
  const file = { id: 'att_1_0' as never, key: 'attachments/att_1_0', contentType: 'image/png', byteSize: 1 }

  test('a message of an erased user keeps its place and loses all else', async () => {
    const { userId, pseudonym, entry, at, erase } = someone()
    const message: Message = {
      ...{ kind: 'message', ...entry(1, userId), body: 'words', metadata: '{"a":"words"}', replyToSeq: 7 },
      ...{ attachments: [file], reactions: [{ emoji: '👍', userId: bob, seq: 2, on: true, changes: 1 }] },
    }
    await open().messages.put(message)
    expect(await erase(1)).toBe(true)
    const { messageId, conversationId } = message
    const place = { kind: 'message', conversationId, seq: 1, messageId, sentAtMs: atMs, replyToSeq: 7 }
    const after = { ...place, senderId: pseudonym, clientMessageId: 'erased.1', body: '', deletedAtMs: atMs }
    expect(await at(1)).toEqual(after)
    expect(await erase(1)).toBe(false)
    expect(await erase(2)).toBe(false)
  })

  test('a message of somebody else loses the reactions of the erased user, and no others', async () => {
    const { userId, entry, at, erase } = someone()
    const bobs = { emoji: '👍', userId: bob, seq: 2, on: true, changes: 1 }
    const reactions = [bobs, { emoji: '🎉', userId, seq: 3, on: true, changes: 1 }]
    const message: Message = { kind: 'message', ...entry(1, bob), body: 'hello', reactions }
    await open().messages.put(message)
    expect(await erase(1)).toBe(true)
    expect(await at(1)).toEqual({ ...message, reactions: [bobs] })
    expect(await erase(1)).toBe(false)
  })

  test('changes of an erased user say nothing any more, and are not applied', async () => {
    const { userId, pseudonym, entry, at, erase } = someone()
    await open().messages.put({ kind: 'message', ...entry(1, bob), body: 'hello' })
    const edit: Change = {
      kind: 'change',
      ...entry(2, userId),
      targetSeq: 9,
      alteration: { type: 'edit', body: 'words' },
    }
    const react: Change = {
      ...{ kind: 'change', ...entry(3, userId), targetSeq: 1 },
      alteration: { type: 'reaction', emoji: '🎉', on: true },
    }
    for (const row of [edit, react]) await open().messages.put(row)
    for (const seq of [2, 3]) {
      expect(await erase(seq)).toBe(true)
      expect(await at(seq)).toMatchObject({ senderId: pseudonym, alteration: { type: 'edit', body: '' } })
    }
    const after = (await at(3)) as Change
    expect(await open().messages.alter(after)).toMatchObject({ body: 'hello' })
    expect(await at(1)).not.toHaveProperty('reactions')
  })

  test('changes of groups name the pseudonym', async () => {
    const { userId, pseudonym, entry, at, erase } = someone()
    const change: GroupChange = {
      ...{ kind: 'group', ...entry(1, bob), baseVersion: 0, title: 'Tea' },
      ...{ added: [bob, userId], removed: [userId], roles: [{ userId, role: 'OWNER' }] },
    }
    await open().messages.put(change)
    expect(await erase(1)).toBe(true)
    const renamed = { added: [bob, pseudonym], removed: [pseudonym], roles: [{ userId: pseudonym, role: 'OWNER' }] }
    expect(await at(1)).toEqual({ ...change, ...renamed })
  })

  test('a profile is a mark, and stays one', async () => {
    const { userId } = someone()
    await open().profiles.put({ userId, name: 'Eve' })
    await open().profiles.erase(userId, atMs)
    await open().profiles.erase(userId, atMs + 1)
    const erased = { userId, erasedAtMs: atMs }
    expect(await open().profiles.put({ userId, name: 'Eve' })).toEqual(erased)
    expect(await open().profiles.change(userId, { metadata: '{}' })).toEqual(erased)
    expect(await open().profiles.getMany([userId])).toEqual([erased])
  })

  test('a claim, boundaries and a place in a direct chat go', async () => {
    const { userId, pseudonym, conversationId } = someone()
    const clientMessageId = 'm1' as ClientMessageId
    const claim = { senderId: userId, clientMessageId, conversationId, seq: 1, payloadHash: 'x' }
    await open().claims.claim(claim)
    for (let i = 0; i < 2; i += 1) await open().claims.remove(userId, clientMessageId)
    expect(await open().claims.get(userId, clientMessageId)).toBeUndefined()

    const member = { userId, conversationId }
    await open().boundaries.deliver(member, 3)
    await open().boundaries.note(member)
    const left = { userId, conversationId: `grp_${randomUUID()}` as ConversationId }
    await open().boundaries.note(left)
    const rows = await open().boundaries.ofUser(userId)
    expect(rows.map(({ lastDeliveredSeq }) => lastDeliveredSeq).sort()).toEqual([0, 3])
    for (const each of [member, left, left]) await open().boundaries.remove(each)
    expect(await open().boundaries.ofUser(userId)).toEqual([])

    const id = `dm_${randomUUID()}` as ConversationId
    await open().conversations.create({ id, kind: 'DIRECT', members: [userId, bob] })
    for (let i = 0; i < 2; i += 1) await open().conversations.replaceMember(id, userId, pseudonym)
    expect(await open().conversations.getMany([id])).toEqual([{ id, kind: 'DIRECT', members: [pseudonym, bob] }])

    await open().departures.put({ userId, groupId: conversationId, leftAtMs: 1 })
    await open().blocks.set({ userId, blockedId: bob }, true)
    expect(await open().departures.ofUser(userId)).toEqual([{ userId, groupId: conversationId, leftAtMs: 1 }])
  })
}
