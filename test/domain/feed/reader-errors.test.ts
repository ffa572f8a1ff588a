import { expect, it } from 'vitest'
import { partitionOf } from '../../../src/domain/feed/partitions.ts'
import { feedBeginning } from '../../../src/domain/feed/positions.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import type { ClientMessageId, UserId } from '../../../src/protocol/ids.ts'
import { memoryDomain, nextTurn } from '../../kit/memory-domain.ts'

it('a partition that cannot be read makes no other one give its events twice', async () => {
  let broken: number | undefined
  let slow: number | undefined
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const { domain } = memoryDomain(
    ({ feed }) => ({
      feed: {
        ...feed,
        async above(partition, ...rest) {
          if (partition === broken) throw unavailable()
          if (partition === slow) await released
          return feed.above(partition, ...rest)
        },
      },
    }),
    { feed: true },
  )
  const sendTo = async (friend: string, count: number) => {
    for (let n = 1; n <= count; n += 1)
      await domain.sendTo('alice' as UserId, friend as UserId, {
        clientMessageId: `${friend}-${n}` as ClientMessageId,
        body: 'hi',
      })
    return (await domain.access.direct('alice' as UserId, friend as UserId)).conversation.id
  }
  const one = await sendTo('bob', 5)
  let other = one
  for (let i = 0; partitionOf(other) === partitionOf(one); i += 1) other = await sendTo(`friend${i}`, 1)

  const reader = domain.feed.open(feedBeginning)
  slow = partitionOf(one)
  broken = partitionOf(other)
  const failing = reader.read(100).catch((error: unknown) => error)
  for (let i = 0; i < 5; i += 1) await nextTurn()
  broken = undefined
  // Whoever reads tries again at once.
  const again = failing.then(() => reader.read(100))
  for (let i = 0; i < 5; i += 1) await nextTurn()
  release()
  expect(await failing).toMatchObject({ code: 'UNAVAILABLE' })
  const events = [...(await again), ...(await reader.read(100))]
  const seqs = events
    .filter((event) => event.conversationId === one && event.type === 'message.sent')
    .map(({ seq }) => seq)
  expect(seqs).toEqual([1, 2, 3, 4, 5])
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
})
