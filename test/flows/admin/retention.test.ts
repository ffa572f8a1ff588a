import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inTables } from '../../kit/everything.ts'
import { createGroup } from '../../kit/group-of.ts'
import type { Person } from '../../kit/person.ts'
import { createService, type Service } from '../../kit/service.ts'
import { connectDynamo } from '../../kit/services/dynamodb.ts'
import { sharedService } from '../../kit/shared-services.ts'
import { exported } from '../../kit/tasks.ts'
import { waitUntil } from '../../kit/wait-until.ts'
import { startWorld, type World } from '../../kit/world.ts'

// Two nodes and a DynamoDB server: history that was brought along is too old at once.

const word = 'marzipan'
const tasks = { lookMs: 200, leaseMs: 30_000, partBytes: 100_000, settleMs: 0 }

let world: World
let backend: Service
beforeAll(async () => {
  world = await startWorld({ nodes: 2, app: { tasks } })
  backend = await createService('backend', world.url(1))
})
afterAll(() => world.stop())

const bring = (from: Person, to: object, daysAgo: number, body: string) =>
  backend.ask('mutation ($input: AdminSendMessageInput!) { sendMessage(input: $input) { message { seq } } }', {
    input: {
      ...{ clientMessageId: randomUUID(), as: from.userId, to, body },
      sentAt: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
    },
  })

const setRetention = async (conversationId: string, days: number | null) =>
  (
    await backend.ask<{ setRetention: { conversation: { retentionDays: number | null; lastSeq: number } } }>(
      'mutation ($input: SetRetentionInput!) { setRetention(input: $input) { conversation { retentionDays lastSeq } } }',
      { input: { conversationId, days } },
    )
  ).setRetention.conversation

async function storedWords(): Promise<string[]> {
  const dynamo = { ...connectDynamo(await sharedService('dynalite')), tablePrefix: world.prefix }
  const all = await inTables(dynamo)
  dynamo.client.close()
  return all.map(({ text }) => text).filter((text) => text.includes(word))
}

it('messages that are too old go, for users on every node, for the service, and out of the tables', async () => {
  const alice = await world.person('alice')
  const bob = await world.person('bob', { node: 1 })
  const { id: groupId } = await createGroup(alice, [bob])
  const chatId = world.chatOf(alice, bob)
  const places = [
    [groupId, { conversationId: groupId }],
    [chatId, { userId: bob.userId }],
  ] as const
  for (const [, to] of places) {
    for (let i = 0; i < 5; i += 1) await bring(alice, to, 40 - i, `${word} ${i}`)
    await bring(alice, to, 10, 'lately')
    await alice.send(to, 'now')
  }
  for (const [id] of places) {
    const { lastSeq = 0 } = (await alice.conversation(id)) ?? {}
    expect(await setRetention(id, 30)).toEqual({ retentionDays: 30, lastSeq })
    expect((await bob.conversation(id))?.lastSeq).toBe(lastSeq)
  }
  await waitUntil(async () => (await storedWords()).length === 0)

  for (const [id, to] of places) {
    for (const person of [alice, bob]) {
      const { edges, pageInfo } = await person.history(id)
      expect(edges.map(({ node }) => node.body)).toEqual(['now', 'lately'])
      expect(pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false })
    }
    expect((await bob.conversation(id))?.unreadCount).toBe(2)
    const behind = bob.follow({ after: [{ conversationId: id, seq: 1 }], conversationId: id })
    await behind.receives(2)
    expect(behind.events.map(({ message, previousSeq }) => [message.body, previousSeq])).toEqual([
      ['lately', 1],
      ['now', behind.events[0]?.message.seq],
    ])
    await behind.stop()
    const asked = await backend.ask<{ messages: { edges: { node: { body: string } }[] } }>(
      'query ($id: ID!) { messages(conversationId: $id, first: 100) { edges { node { body } } } }',
      { id },
    )
    expect(asked.messages.edges.map(({ node }) => node.body)).toEqual(['now', 'lately'])
    const lines = await exported(backend, 'exportConversation', id, world.url())
    expect(lines[1]).toMatchObject({ retentionDays: 30 })
    expect(lines.filter(({ type }) => type === 'message')).toHaveLength(2)
    const before = (await alice.conversation(id))?.lastSeq ?? 0
    await alice.send(to, 'and on')
    expect((await alice.conversation(id))?.lastSeq).toBe(before + 1)
  }
})

it('days are whole and sensible, and null keeps what is left', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  await alice.send(bob, 'hello')
  const id = world.chatOf(alice, bob)
  for (const days of [0, -1, 36_501])
    await expect(setRetention(id, days)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'days' })
  await expect(setRetention('grp_1', 1)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await setRetention(id, 1)
  expect(await setRetention(id, null)).toMatchObject({ retentionDays: null })
})
