import { expect, test } from 'vitest'
import type { Claim, Claims } from '../../src/domain/ports.ts'
import type { ClientMessageId, UserId } from '../../src/protocol/ids.ts'
import { aClientMessageId, aConversation, aUser, upTo } from '../kit/ids.ts'

export function claimsContract(open: () => Claims): void {
  const aClaim = (given: Partial<Claim> = {}): Claim => ({
    senderId: aUser(),
    clientMessageId: aClientMessageId(),
    conversationId: aConversation(),
    seq: 5,
    payloadHash: 'hash',
    ...given,
  })

  test('the first claim stands, and can be read', async () => {
    const claim = aClaim()
    expect(await open().get(claim.senderId, claim.clientMessageId)).toBeUndefined()
    expect(await open().claim(claim)).toEqual(claim)
    expect(await open().get(claim.senderId, claim.clientMessageId)).toEqual(claim)
  })

  test('a later claim gets the earlier one, whatever it asks for', async () => {
    const claim = aClaim()
    await open().claim(claim)
    const later = { ...claim, seq: 9, payloadHash: 'other', conversationId: aConversation() }
    expect(await open().claim(later)).toEqual(claim)
    expect(await open().claim(claim)).toEqual(claim)
    expect(await open().get(claim.senderId, claim.clientMessageId)).toEqual(claim)
  })

  test('twenty claims at once all get the one that stands', async () => {
    const claim = aClaim()
    const rivals = upTo(20).map((seq) => ({ ...claim, seq }))

    const answers = await Promise.all(rivals.map((rival) => open().claim(rival)))

    const standing = await open().get(claim.senderId, claim.clientMessageId)
    expect(rivals).toContainEqual(standing)
    for (const answer of answers) expect(answer).toEqual(standing)
  })

  test('claims of different senders or client ids do not meet', async () => {
    const one = aClaim({ senderId: `${aUser()}:a` as UserId, clientMessageId: 'b' as ClientMessageId })
    const sameClientId = { ...one, senderId: aUser(), seq: 6 }
    const sameSender = { ...one, clientMessageId: 'c' as ClientMessageId, seq: 7 }
    const sameJoined = { ...one, senderId: one.senderId.slice(0, -2) as UserId, seq: 8 }
    const joined = { ...sameJoined, clientMessageId: 'a:b' as ClientMessageId }
    for (const claim of [one, sameClientId, sameSender, joined]) expect(await open().claim(claim)).toEqual(claim)
  })

  test('a claim moves from the seq it has', async () => {
    const claim = aClaim({ seq: 5 })
    await open().claim(claim)
    expect(await open().move(claim, 8)).toBe(true)
    expect(await open().get(claim.senderId, claim.clientMessageId)).toEqual({ ...claim, seq: 8 })
    expect(await open().claim(claim)).toEqual({ ...claim, seq: 8 })
  })

  test('a claim does not move from a seq it no longer has', async () => {
    const claim = aClaim({ seq: 5 })
    await open().claim(claim)
    await open().move(claim, 8)
    expect(await open().move(claim, 9)).toBe(false)
    expect(await open().get(claim.senderId, claim.clientMessageId)).toEqual({ ...claim, seq: 8 })
  })

  test('what was never claimed cannot be moved into being', async () => {
    const claim = aClaim()
    expect(await open().move(claim, 8)).toBe(false)
    expect(await open().get(claim.senderId, claim.clientMessageId)).toBeUndefined()
  })

  test('of twenty moves at once exactly one succeeds', async () => {
    const claim = aClaim({ seq: 100 })
    await open().claim(claim)

    const moved = await Promise.all(upTo(20).map((seq) => open().move(claim, seq)))

    expect(moved.filter(Boolean)).toHaveLength(1)
    const standing = await open().get(claim.senderId, claim.clientMessageId)
    expect(standing?.seq).toBe(moved.indexOf(true) + 1)
  })
}
