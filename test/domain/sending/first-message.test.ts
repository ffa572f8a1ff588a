import { describe, expect, it } from 'vitest'
import { directConversationId } from '../../../src/domain/conversations/conversation-id.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import type { ClientMessageId, UserId } from '../../../src/protocol/ids.ts'
import { memoryDomain } from '../../kit/memory-domain.ts'

// The first message creates a direct chat. Wherever an attempt dies, the two users are acquainted only when that message is stored and the
// chat's rows are written; the retry goes on from there.

const [alice, bob] = ['alice', 'bob'] as [UserId, UserId]
const draft = { clientMessageId: 'first' as ClientMessageId, body: 'hello' }

/** Makes a call fail the first time, before or after it has taken effect. */
function failingOnce<Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>, after: boolean) {
  let calls = 0
  return async (...args: Args): Promise<Result> => {
    calls += 1
    if (calls > 1) return call(...args)
    if (after) await call(...args)
    throw unavailable()
  }
}

const steps: Record<string, (ports: Ports, after: boolean) => Partial<Ports>> = {
  'the claim': ({ claims }, after) => ({ claims: { ...claims, claim: failingOnce(claims.claim, after) } }),
  'the message': ({ messages }, after) => ({ messages: { ...messages, put: failingOnce(messages.put, after) } }),
  'the memberships': ({ memberships }, after) => ({
    memberships: { ...memberships, add: failingOnce(memberships.add, after) },
  }),
}

describe.each(Object.entries(steps))('a first message that dies at %s', (_name, plant) => {
  it.each([
    ['before', false],
    ['after', true],
  ])('%s it was written: they are acquainted only when the retry was answered', async (_when, after) => {
    const { domain, ports } = memoryDomain((plain) => plant(plain, after))
    await expect(domain.sendTo(alice, bob, draft)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await domain.access.areAcquainted(alice, [bob])).toEqual([false])
    expect(await domain.access.areAcquainted(bob, [alice])).toEqual([false])
    expect(await domain.presenceOf(alice, [bob])).toEqual([undefined])
    expect(await domain.access.findDirect(alice, bob)).toBeUndefined()

    expect((await domain.sendTo(alice, bob, draft)).message.seq).toBe(1)
    expect(await domain.access.areAcquainted(bob, [alice])).toEqual([true])
    expect(await ports.messages.above(directConversationId(alice, bob), 0, 10)).toHaveLength(1)
    expect((await domain.chatList.order(bob)).map(({ sortKey }) => sortKey.id)).toEqual([
      directConversationId(alice, bob),
    ])
  })
})

it('a message that was left behind without a chat is in it when the other writes first', async () => {
  const { domain } = memoryDomain(({ memberships }) => ({
    memberships: { ...memberships, add: failingOnce(memberships.add, false) },
  }))
  await expect(domain.sendTo(alice, bob, draft)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect((await domain.sendTo(bob, alice, draft)).message.seq).toBe(2)
  const member = await domain.access.member(bob, directConversationId(alice, bob))
  const { messages } = await domain.history.page(member, { count: 10, from: 'newest' })
  expect(messages.map(({ seq, senderId }) => `${seq} ${senderId}`)).toEqual(['2 bob', '1 alice'])
  expect(await domain.sendTo(alice, bob, draft)).toMatchObject({ duplicate: true, message: { seq: 1 } })
})

it('notes to self begin with a message, too', async () => {
  const { domain } = memoryDomain()
  await expect(domain.sendTo(alice, alice, { ...draft, replyToSeq: 9 })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
  })
  expect(await domain.access.findDirect(alice, alice)).toBeUndefined()
  expect((await domain.sendTo(alice, alice, draft)).message.seq).toBe(1)
  expect(await domain.access.findDirect(alice, alice)).toBeDefined()
})
