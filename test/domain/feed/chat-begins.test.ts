import { expect, it } from 'vitest'
import { feedBeginning } from '../../../src/domain/feed/positions.ts'
import type { ClientMessageId, UserId } from '../../../src/protocol/ids.ts'
import { memoryDomain, nextTurn } from '../../kit/memory-domain.ts'

const [alice, bob] = ['alice', 'bob'] as [UserId, UserId]
const request = { clientGroupId: 'g1' as ClientMessageId, title: 'Coffee', memberIds: [bob] }

it('a direct chat that is just being made is told of with both members', async () => {
  const { domain } = memoryDomain(
    ({ conversations, clock }) => ({
      clock: { ...clock, sleep: (ms) => nextTurn().then(() => clock.sleep(ms)) },
      conversations: {
        ...conversations,
        // The reader is there first.
        async create(conversation) {
          for (let i = 0; i < 3; i += 1) await nextTurn()
          await conversations.create(conversation)
        },
      },
    }),
    { feed: true },
  )
  const sending = domain.sendTo(alice, bob, { clientMessageId: 'm1' as ClientMessageId, body: 'hi' })
  const reader = domain.feed.open(feedBeginning)
  const events = [...(await reader.read(10))]
  while (events.length < 2) events.push(...(await reader.read(10)))
  await sending
  expect(events.map(({ type, data }) => [type, data.memberIds])).toEqual([
    ['conversation.created', [alice, bob]],
    ['message.sent', undefined],
  ])
})

it('a group whose creator has died in the middle is there once the feed has told of it, which it does before all else', async () => {
  let calls = 0
  const { domain, ports } = memoryDomain(
    ({ conversations }) => ({
      conversations: {
        ...conversations,
        create: async (conversation) => {
          calls += 1
          // The node of the creator stops for good between the first entry and the row.
          if (calls === 1) return new Promise<never>(() => undefined)
          return conversations.create(conversation)
        },
      },
    }),
    { feed: true },
  )
  void domain.groups.create(alice, request)
  for (let i = 0; i < 10; i += 1) await nextTurn()
  const reader = domain.feed.open(feedBeginning)
  const events = await reader.read(10)
  expect(events.map(({ type, seq, data }) => [type, seq, data.memberIds])).toEqual([
    ['conversation.created', 1, [alice, bob]],
  ])
  const id = events[0]?.conversationId ?? expect.fail()
  expect((await ports.memberships.getMany([{ userId: bob, conversationId: id }]))[0]).toMatchObject({ joinedSeq: 1 })

  // The retry finds it.
  const again = await domain.groups.create(alice, request)
  expect(again.conversation.id).toBe(id)
  await domain.send(again, { clientMessageId: 'm1' as ClientMessageId, body: 'hi' })
  expect((await reader.read(10)).map(({ type, seq }) => [type, seq])).toEqual([['message.sent', 2]])
  expect((await domain.feed.page(feedBeginning, 10)).events.map(({ event }) => event.seq)).toEqual([1, 2])
})
