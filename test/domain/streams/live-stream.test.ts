import { expect, it } from 'vitest'
import { createInbox } from '../../../src/domain/streams/inbox.ts'
import { createStream } from '../../../src/domain/streams/stream.ts'
import { aClientMessageId, aUser } from '../../kit/ids.ts'
import { instantClock, memoryDomain, nextTurn } from '../../kit/memory-domain.ts'

async function aFollower() {
  const { domain, ports } = memoryDomain()
  const [alice, bob] = [aUser(), aUser()]
  const say = async (body: string): Promise<void> => {
    await domain.sendTo(alice, bob, { clientMessageId: aClientMessageId(), body })
    await nextTurn()
  }
  const stream = await domain.follow({ userId: bob, after: [] })
  return { domain, ports, alice, bob, say, stream }
}

it.each([
  ['comes to its end', async () => undefined],
  ['fails', () => Promise.reject(new Error('cannot go on'))],
])('a stream whose reader %s ends once, whoever still asks', async (_how, last) => {
  let ends = 0
  async function* run(): AsyncGenerator<string> {
    yield 'only'
    await last()
  }
  const inbox = createInbox(instantClock(), { limit: 1, accepts: () => true })
  const stream = createStream(inbox, { run }, async () => {
    ends += 1
  })
  expect((await stream.next()).value).toBe('only')
  expect(ends).toBe(0)
  await stream.next().catch(() => undefined)
  expect(ends).toBe(1)
  expect(await stream.next()).toMatchObject({ done: true })
  await stream.return?.()
  expect(ends).toBe(1)
})

const line = ({ row, previousSeq }: { row: { seq: number; body: string }; previousSeq: number }): string =>
  `${row.seq} ${row.body} after ${previousSeq}`

it('what is taken at once does not come again, and what is declined comes by next', async () => {
  const { say, stream } = await aFollower()
  const taken: string[] = []
  stream.setSink({ tryPush: (item) => item.row.body !== 'no' && taken.push(line(item)) > 0 })
  // The stream reads this one from the log, before it is live.
  await say('one')
  expect(line((await stream.next()).value)).toBe('1 one after 0')
  const next = stream.next()
  await nextTurn()
  await say('two')
  await say('three')
  await say('no')
  expect(taken).toEqual(['2 two after 1', '3 three after 2'])
  expect(line((await next).value)).toBe('4 no after 3')
  // No `next()` waits, so nothing is offered.
  await say('five')
  expect(taken).toHaveLength(2)
  expect(line((await stream.next()).value)).toBe('5 five after 4')
  await stream.return?.()
})

it('nothing is offered while two wait, only when one is left', async () => {
  const { say, stream } = await aFollower()
  const taken: string[] = []
  stream.setSink({ tryPush: (item) => taken.push(line(item)) > 0 })
  const [first, second] = [stream.next(), stream.next()]
  await nextTurn()
  await say('one')
  expect(line((await first).value)).toBe('1 one after 0')
  expect(taken).toEqual([])
  await say('two')
  expect(taken).toEqual(['2 two after 1'])
  await stream.return?.()
  expect((await second).done).toBe(true)
})

it.each([true, false])('a taker may end the stream while it takes; its answer then being %s', async (answer) => {
  const { ports, bob, say, stream } = await aFollower()
  let ended: Promise<unknown> | undefined
  stream.setSink({
    tryPush() {
      ended = stream.return?.()
      return answer
    },
  })
  const next = stream.next()
  await nextTurn()
  await say('one')
  expect(await next).toMatchObject({ done: true })
  await ended
  // It was heard and not acked, so the index has to lead the next attach to it.
  expect(await ports.pending.list(bob)).toMatchObject([{ firstUndeliveredSeq: 1 }])
})

it('what was handed over and not acked is found at the next attach', async () => {
  const { ports, bob, say, stream } = await aFollower()
  stream.setSink({ tryPush: () => true })
  void stream.next()
  await nextTurn()
  await say('one')
  expect(await ports.pending.list(bob)).toEqual([])
  await stream.return?.()
  expect(await ports.pending.list(bob)).toMatchObject([{ firstUndeliveredSeq: 1 }])
})

it('ticks that rise are offered, and those that do not are passed by', async () => {
  const { domain, alice, bob, say } = await aFollower()
  await say('one')
  const member = await domain.access.direct(bob, alice)
  const stream = await domain.followTicks(alice)
  const taken: number[][] = []
  stream.setSink({
    tryPush: ({ lastDeliveredSeq, lastReadSeq }) => taken.push([lastDeliveredSeq, lastReadSeq]) > 0,
  })
  const next = stream.next()
  await nextTurn()
  await domain.ack(member, 1)
  await nextTurn()
  await domain.markRead(member, 1)
  await nextTurn()
  expect(taken).toEqual([
    [1, 0],
    [1, 1],
  ])
  await stream.return?.()
  expect(await next).toMatchObject({ done: true })
})
