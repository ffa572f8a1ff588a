import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { PositionInput } from '../../../packages/client/src/generated/graphql.ts'
import { createChanges } from '../../../packages/client/src/state/changes.ts'
import { expectNoTimers, message, networkFailure, persistedStateOver, retrying, scriptedAsk, settled } from '../kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function start(messagesAt: PositionInput[] = []) {
  const asks = scriptedAsk()
  const told: string[] = []
  const { retryUntilAnswered, close } = retrying()
  const changes = createChanges({
    ask: asks.ask,
    persistedState: persistedStateOver(),
    retryUntilAnswered,
    messagePositions: () => [...messagesAt],
    onChanged: ({ seq, body }) => void told.push(`${seq} ${body}`),
  })
  const hear = (seq: number, target = 1) =>
    changes.handleEvent({ message: message(target), seq, previousSeq: seq - 1, catchUp: false })
  return { ...asks, close, changes, told, hear, messagesAt }
}

it('a change is told once, whatever brings it again', () => {
  const { hear, told } = start()
  hear(2)
  hear(3, 2)
  hear(2)
  hear(3, 2)
  expect(told).toEqual(['1 m1', '2 m2'])
})

it('an answer that an event of the same message came before says nothing: it may be older than the event', async () => {
  const { changes, hear, told, answer } = start()
  const done = changes.edit('dm_1', 1, 'mine')
  hear(3)
  await answer({ editMessage: { message: message(1, { body: 'as it was before' }) } })
  await done
  expect(told).toEqual(['1 m1'])
})

it('an answer is told where the events were of other messages', async () => {
  const { changes, hear, told, answer } = start()
  const done = changes.edit('dm_1', 1, 'mine')
  hear(3, 2)
  await answer({ editMessage: { message: message(1, { body: 'mine' }) } })
  await done
  hear(4, 2)
  expect(told).toEqual(['2 m2', '1 mine', '2 m2'])
})

it('a conversation begins just before its first message here: what is below was seen as it was then', () => {
  const { changes } = start([{ conversationId: 'dm_1', seq: 9 }])
  changes.meets(message(7))
  changes.meets(message(8))
  expect(changes.positions()).toEqual([{ conversationId: 'dm_1', seq: 6 }])
})

it('the position follows the messages, but only those that were there long enough ago', async () => {
  const { changes, messagesAt } = start([{ conversationId: 'dm_1', seq: 5 }])
  expect(changes.positions()).toEqual([{ conversationId: 'dm_1', seq: 5 }])
  const stop = changes.follow()
  messagesAt[0] = { conversationId: 'dm_1', seq: 8 }
  await vi.advanceTimersByTimeAsync(90_000)
  expect(changes.positions()).toEqual([{ conversationId: 'dm_1', seq: 5 }])
  await vi.advanceTimersByTimeAsync(90_000)
  expect(changes.positions()).toEqual([{ conversationId: 'dm_1', seq: 8 }])
  stop()
  expectNoTimers()
})

it('a change on its way when everything is closed is given up', async () => {
  const { changes, fail, close } = start()
  const done = changes.remove('dm_1', 1)
  await fail(networkFailure)
  close()
  await expect(done).rejects.toMatchObject({ code: 'NETWORK' })
  expectNoTimers()
})

it('another server knows nothing of our positions', async () => {
  const { changes, hear, messagesAt } = start([{ conversationId: 'dm_1', seq: 1 }])
  hear(4)
  changes.reset()
  await settled()
  expect(changes.positions()).toEqual(messagesAt)
})

it('a conversation that is forgotten begins anew, and is not brought back by what was heard before', async () => {
  const { changes, hear, messagesAt } = start([{ conversationId: 'dm_1', seq: 5 }])
  hear(4)
  const stop = changes.follow()
  changes.forget('dm_1')
  messagesAt.length = 0
  await vi.advanceTimersByTimeAsync(90_000)
  stop()
  changes.meets(message(3))
  messagesAt.push({ conversationId: 'dm_1', seq: 3 })
  expect(changes.positions()).toEqual([{ conversationId: 'dm_1', seq: 2 }])
})
