import { expect, test } from 'vitest'
import type { Claim, Claims } from '../../../src/ports/log.ts'
import type { ClientMessageId, UserId } from '../../../src/protocol/ids.ts'
import { aClientMessageId, aConversation, aUser, upTo } from '../../kit/ids.ts'

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
    const one = aClaim()
    const others = [
      { ...one, seq: 6, senderId: aUser() },
      { ...one, seq: 7, clientMessageId: aClientMessageId() },
      // These are the same characters, split elsewhere.
      { ...one, seq: 8, senderId: `${one.senderId}:a` as UserId, clientMessageId: 'b' as ClientMessageId },
      { ...one, seq: 9, senderId: one.senderId, clientMessageId: 'a:b' as ClientMessageId },
    ]
    for (const claim of [one, ...others]) expect(await open().claim(claim)).toEqual(claim)
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

/** Claims of both forms, on the same rows. */
export function claimFormsContract(openFull: () => Claims, openShort: () => Claims): void {
  const both = [
    { from: 'full', to: 'short', open: () => [openFull(), openShort()] as const },
    { from: 'short', to: 'full', open: () => [openShort(), openFull()] as const },
  ]
  const ids = [
    { of: 'a message', clientMessageId: aClientMessageId() },
    { of: 'a group, whose client id begins with #', clientMessageId: `#${aClientMessageId()}` as ClientMessageId },
  ]
  const cases = both.flatMap((way) => ids.map((id) => ({ ...way, ...id })))

  test.each(cases)('a $from claim of $of stands and moves where $to ones are written', async ({ open, ...given }) => {
    const [first, second] = open()
    const { clientMessageId } = given
    const claim = { senderId: aUser(), clientMessageId, conversationId: aConversation(), seq: 5, payloadHash: 'hash' }
    await first.claim(claim)
    expect(await second.claim({ ...claim, seq: 6, payloadHash: 'other' })).toEqual(claim)
    expect(await second.move(claim, 7)).toBe(true)
    expect(await first.get(claim.senderId, clientMessageId)).toEqual({ ...claim, seq: 7 })
    expect(await second.get(claim.senderId, clientMessageId)).toEqual({ ...claim, seq: 7 })
  })
}
