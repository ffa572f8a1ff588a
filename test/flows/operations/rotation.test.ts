import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Message } from '../../../src/ports/log.ts'
import type { ClientMessageId, UserId } from '../../../src/protocol/ids.ts'
import { testSecret } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

// Secrets are replaced node by node, so that for a while nodes run with the old one, with both, and with the new one alone.

const bytes = (text: string) => new TextEncoder().encode(text)
const other = 'another secret of the tests of thirty-two bytes and more'

const stages = ['old', 'old,new', 'new,old', 'new'] as const
type Stage = (typeof stages)[number]
const secretsOf = (stage: Stage, named: Record<string, string>) => {
  const [first = '', ...rest] = stage.split(',').map((name) => bytes(named[name] ?? ''))
  return [first, ...rest] as [Uint8Array, ...Uint8Array[]]
}

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 0 })
  for (const stage of stages) {
    await world.startNode(
      {},
      {
        auth: { secrets: secretsOf(stage, { old: testSecret, new: other }) },
        cursorSecrets: secretsOf(stage, { old: 'the first cursors', new: 'the second cursors' }),
      },
    )
  }
})
afterAll(() => world.stop())

const at = (stage: Stage) => world.url(stages.indexOf(stage))
const neighbours = stages.slice(1).map((stage, i) => [stages[i] ?? stage, stage] as const)

/** Returns the status of a request with a token of this secret. */
async function statusAt(stage: Stage, secret: string): Promise<number> {
  const token = await new SignJWT({ sub: 'alice' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(bytes(secret))
  const response = await fetch(`${at(stage)}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: '{ me { id } }' }),
  })
  return response.status
}

it('the tokens of every secret in the list are good, and those of no other', async () => {
  const statuses = await Promise.all(
    stages.map(async (stage) => [stage, await statusAt(stage, testSecret), await statusAt(stage, other)]),
  )
  expect(statuses).toEqual([
    ['old', 200, 401],
    ['old,new', 200, 200],
    ['new,old', 200, 200],
    ['new', 401, 200],
  ])
})

// People have tokens of the old secret.
it.each(neighbours.slice(0, 2))('a cursor leads on from a node with %s to one with %s, and back', async (one, next) => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  for (const body of ['a', 'b', 'c']) await alice.send(bob, body, { node: at(one) })
  const chat = world.chatOf(alice, bob)
  for (const [from, to] of [
    [one, next],
    [next, one],
  ] as const) {
    const page = await bob.history(chat, { first: 1 }, at(from))
    const rest = await bob.history(chat, { first: 5, after: page.pageInfo.endCursor ?? '' }, at(to))
    expect(rest.edges.map(({ node }) => node.body)).toEqual(['b', 'a'])
  }
})

describe('a retry after the secret was replaced', () => {
  const pairs = stages.flatMap((from) => stages.filter((to) => to !== from).map((to) => [from, to] as const))

  /** By the domain, since nobody has a token that every node takes. */
  const domainAt = (stage: Stage) => world.nodes[stages.indexOf(stage)]?.parts.domain ?? expect.fail()

  it.each(pairs)('from a node with %s to one with %s is the same message, change or group', async (from, to) => {
    const [old, now] = [domainAt(from), domainAt(to)]
    const [alice, bob] = [`alice-${randomUUID()}`, `bob-${randomUUID()}`] as UserId[] as [UserId, UserId]
    const id = (text: string) => text as ClientMessageId
    const drafts = [
      { clientMessageId: id('plain'), body: 'hello' },
      { clientMessageId: id('reply'), body: 'a reply', replyToSeq: 1 },
      { clientMessageId: id('metadata'), body: 'with metadata', metadata: '{"a":1}' },
    ]
    const sent: Message[] = []
    for (const draft of drafts) sent.push((await old.sendTo(alice, bob, draft)).message)
    const chat = sent[0]?.conversationId ?? expect.fail()
    const retried = async () => {
      for (const [i, draft] of drafts.entries()) {
        const again = await now.sendTo(alice, bob, draft)
        expect(again).toMatchObject({ duplicate: true, message: { seq: sent[i]?.seq, messageId: sent[i]?.messageId } })
      }
    }
    await retried()
    const member = await now.access.member(alice, chat)
    const changes = [
      { seq: 1, clientMessageId: id('edit'), alteration: { type: 'edit', body: 'better' } },
      { seq: 2, clientMessageId: id('react'), alteration: { type: 'reaction', emoji: '👍', on: true } },
      { seq: 2, clientMessageId: id('delete'), alteration: { type: 'delete' } },
      { seq: 3, clientMessageId: id('delete 3'), alteration: { type: 'delete' } },
    ] as const
    const changed = []
    for (const change of changes) changed.push(await old.changeOnce(member, change))
    for (const [i, change] of changes.entries()) {
      const again = await now.changeOnce(member, change)
      expect(again).toMatchObject({ duplicate: true, message: { messageId: changed[i]?.message.messageId } })
    }
    // What was edited and deleted since is known as well.
    await retried()
    const group = { clientGroupId: id('tea'), title: 'Tea', memberIds: [bob] }
    const { conversation } = await old.groups.create(alice, group)
    expect((await now.groups.create(alice, group)).conversation.id).toBe(conversation.id)
    const { messages } = world.nodes[0]?.parts.ports ?? expect.fail()
    const log = await messages.above(chat, 0, 100)
    expect(log.filter(({ kind }) => kind !== 'void')).toHaveLength(drafts.length + changes.length)
  })

  it.each(pairs)('from a node with %s to one with %s is told from other content', async (from, to) => {
    const [alice, bob] = [`alice-${randomUUID()}`, `bob-${randomUUID()}`] as UserId[] as [UserId, UserId]
    const draft = { clientMessageId: 'same' as ClientMessageId, body: 'hello' }
    await domainAt(from).sendTo(alice, bob, draft)
    await expect(domainAt(to).sendTo(alice, bob, { ...draft, body: 'other' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
  })
})
