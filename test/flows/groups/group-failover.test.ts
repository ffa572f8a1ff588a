import { expect, test } from 'vitest'
import { createDomain } from '../../../src/domain/domain.ts'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { ClientMessageId, MessageId, UserId } from '../../../src/protocol/ids.ts'
import { createMemoryRedis } from '../../../src/store/embedded/soft-state/memory-redis.ts'
import { createSoftStateMemory } from '../../../src/store/embedded/soft-state/soft-state.ts'
import { createStoresEmbedded } from '../../../src/store/embedded/stores.ts'

const [alice, bob] = ['alice', 'bob'] as [UserId, UserId]
const clock: Clock = { now: () => 0, monotonic: () => 0, sleep: () => new Promise(() => undefined) }

test('what was not acked comes again, also when Redis has fallen back behind it', async () => {
  const redis = createMemoryRedis(clock)
  let last = 0
  const domain = createDomain(
    { ...createStoresEmbedded(createKeyValueMemory()), ...createSoftStateMemory(redis), clock },
    {
      nextMessageId: () => `${++last}` as MessageId,
      randomId: () => `${++last}`,
      onDetachError: (error) => expect.fail(String(error)),
    },
  )
  const clientGroupId = 'group' as ClientMessageId
  const group = await domain.groups.create(alice, { clientGroupId, title: 'Group', memberIds: [bob] })
  const sent = await domain.send(group, { clientMessageId: 'one' as ClientMessageId, body: 'one' })

  // A replica takes over that has not heard of the message.
  const fallBack = () => {
    redis.counters.set(
      group.conversation.id,
      { seq: sent.message.seq - 1, published: sent.message.seq - 1, sends: [], runId: redis.runId() },
      1000,
    )
    redis.failover()
  }
  fallBack()

  for (const _ of ['the first time, when nobody vouches for the index', 'the second, when the first does']) {
    const stream = await domain.follow({ userId: bob, after: [] })
    expect((await stream.next()).value.row.body).toBe('one')
    // After this the stream is caught up: only then does its end prove anything.
    const next = stream.next()
    await domain.send(group, { clientMessageId: `${++last}` as ClientMessageId, body: 'two' })
    await next
    await stream.return?.()
    fallBack()
  }
})
