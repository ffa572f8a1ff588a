import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Member } from '../../src/domain/conversations/access.ts'
import { createDomain, type Domain } from '../../src/domain/domain.ts'
import type { KeyValue } from '../../src/engine/key-value/key-value.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Alteration } from '../../src/ports/log.ts'
import type { Ports } from '../../src/ports/ports.ts'
import type { ClientMessageId, ConversationId, UserId } from '../../src/protocol/ids.ts'
import { createSnowflake } from '../../src/protocol/snowflake.ts'
import { createMemoryRedis } from '../../src/store/embedded/soft-state/memory-redis.ts'
import { createSoftStateMemory } from '../../src/store/embedded/soft-state/soft-state.ts'
import { createStoresEmbedded } from '../../src/store/embedded/stores.ts'

// A day of three people: everything that writes, one thing after the other. Whoever dies in the middle of it lives it again from the
// morning on, as a client that repeats whatever it does not know to be done.

export const [alice, bob, carol] = ['alice', 'bob', 'carol'] as [UserId, UserId, UserId]

const clock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: (ms) => sleep(ms),
}

/** A node, as far as the domain: what it keeps is in the engine, and what it forgets dies with it. */
export function createNode(engine: KeyValue): { domain: Domain; ports: Ports } {
  const stores = createStoresEmbedded(engine)
  const ports: Ports = { ...stores, ...createSoftStateMemory(createMemoryRedis(clock)), clock }
  const domain = createDomain(ports, {
    nextMessageId: createSnowflake(clock.now, () => 1),
    randomId: randomUUID,
    onDetachError: () => undefined,
  })
  return { domain, ports }
}

/** What is found again when the step is repeated. */
export type Answer = Record<string, unknown>
export type Told = { step: string; answer: Answer }

/** Lives the day, and tells each answer as soon as it is there. */
export async function liveTheDay(domain: Domain, tell: (told: Told) => void): Promise<void> {
  const id = (text: string) => text as ClientMessageId

  async function step(name: string, act: () => Promise<Answer>): Promise<Answer> {
    const answer = await act()
    tell({ step: name, answer })
    return answer
  }
  const say = (from: UserId, to: UserId, body: string) =>
    step(body, async () => answerOf(await domain.sendTo(from, to, { clientMessageId: id(body), body })))
  const chat = String((await say(alice, bob, 'the first message')).conversationId) as ConversationId
  const { seq } = await say(alice, bob, 'the second message')
  await Promise.all([
    say(alice, bob, 'one of three at once'),
    say(bob, alice, 'two of three at once'),
    say(alice, carol, 'three of three at once'),
  ])
  const own = (userId: UserId, of = chat): Promise<Member> => domain.access.member(userId, of)
  await step('bob acks', async () => {
    const { lastDeliveredSeq } = await domain.ack(await own(bob), 2)
    return { acked: lastDeliveredSeq >= 2 }
  })
  await step('bob reads', async () => {
    const { lastReadSeq } = await domain.markRead(await own(bob), 2)
    return { read: lastReadSeq >= 2 }
  })
  await say(bob, alice, 'a reply, which also reads')

  const change = (userId: UserId, name: string, alteration: Alteration) =>
    step(name, async () => {
      const request = { seq: Number(seq), clientMessageId: id(name), alteration }
      const { messageId, body, edits } = await domain.change(await own(userId), request)
      return { messageId, body, edits }
    })
  await change(alice, 'an edit', { type: 'edit', body: 'the second message, edited' })
  await change(bob, 'a reaction', { type: 'reaction', emoji: '👍', on: true })

  const request = { clientGroupId: id('tea'), title: 'Tea', memberIds: [bob] }
  const made = await step('a group', async () => {
    const { conversation } = await domain.groups.create(alice, request)
    return { group: conversation.id }
  })
  const group = String(made.group) as ConversationId
  const sayInGroup = (body: string) =>
    step(body, async () => answerOf(await domain.send(await own(alice, group), { clientMessageId: id(body), body })))
  await sayInGroup('hello, group')
  await step('carol comes, bob goes', async () => {
    const members = { add: [carol], remove: [bob], roles: [] }
    const { conversation } = await domain.groups.updateMembers(await own(alice, group), members)
    return { members: [...conversation.members].sort() }
  })
  await step('another title', async () => {
    const { conversation } = await domain.groups.rename(await own(alice, group), 'Coffee')
    return { title: 'title' in conversation && conversation.title }
  })
  await sayInGroup('hello, carol')
  await step('carol is blocked', async () => {
    await domain.setBlocked(bob, carol, true)
    return { blocked: true }
  })
}

type Sent = Awaited<ReturnType<Domain['sendTo']>>

const answerOf = ({ message: { conversationId, seq, messageId, sentAtMs }, duplicate }: Sent): Answer => ({
  conversationId,
  seq,
  messageId,
  sentAtMs,
  duplicate,
})
