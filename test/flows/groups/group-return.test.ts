import { expect, test } from 'vitest'
import { createDomain } from '../../../src/domain/domain.ts'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { ChatEvent, Events } from '../../../src/ports/events.ts'
import type { ClientMessageId, MessageId, UserId } from '../../../src/protocol/ids.ts'
import { createMemoryRedis } from '../../../src/store/embedded/soft-state/memory-redis.ts'
import { createSoftStateMemory } from '../../../src/store/embedded/soft-state/soft-state.ts'
import { createStoresEmbedded } from '../../../src/store/embedded/stores.ts'

const [alice, bob, carol] = ['alice', 'bob', 'carol'] as [UserId, UserId, UserId]
/** No periodic resync ever comes to help. */
const clock: Clock = {
  now: () => 0,
  monotonic: () => 0,
  sleep: (_ms, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true })),
}

test('whoever is removed and comes back hears the group again, though the news of it overtook the removal', async () => {
  const redis = createMemoryRedis(clock)
  const stores = createStoresEmbedded(createKeyValueMemory())
  const groupChannel = heldChannels()
  let last = 0
  const node = (change: (events: Events) => Events) => {
    const soft = createSoftStateMemory(redis)
    return createDomain(
      { ...stores, ...soft, events: change(soft.events), clock },
      {
        nextMessageId: () => `${++last}` as MessageId,
        randomId: () => `${++last}`,
        onDetachError: (error) => expect.fail(String(error)),
      },
    )
  }
  const [here, there] = [node((events) => events), node(groupChannel.through)]
  const say = async (body: string) => here.send(group, { clientMessageId: `${++last}` as ClientMessageId, body })

  const request = { clientGroupId: 'group' as ClientMessageId, title: 'Group', memberIds: [bob, carol] }
  const group = await here.groups.create(alice, request)
  const stream = await there.follow({ userId: bob, after: [] })
  await say('before')
  expect((await stream.next()).value.row.body).toBe('before')
  const next = stream.next()
  await quiet()

  groupChannel.hold()
  await here.groups.updateMembers(group, { add: [], remove: [bob], roles: [] })
  await there.access.find(carol, [group.conversation.id])
  await here.groups.updateMembers(group, { add: [bob], remove: [], roles: [] })
  await quiet()
  groupChannel.releaseOne()
  await quiet()
  groupChannel.release()
  await say('after')

  expect((await next).value.row.body).toBe('after')
  await stream.return?.()
})

/** Makes the group channels of a node whose events wait, on demand. An event that waits for a listener that has gone is lost. */
function heldChannels() {
  const waiting: (() => void)[] = []
  let held = false
  return {
    hold: () => {
      held = true
    },
    releaseOne: () => waiting.shift()?.(),
    release() {
      held = false
      for (const each of waiting.splice(0)) each()
    },
    through: (events: Events): Events => ({
      ...events,
      async subscribeGroup(id, listener) {
        let closed = false
        const hand = (event: ChatEvent) => (closed ? undefined : listener.event(event))
        const subscription = await events.subscribeGroup(id, {
          gap: () => listener.gap(),
          event: (event) => void (held ? waiting.push(() => hand(event)) : hand(event)),
        })
        return {
          ...subscription,
          close() {
            closed = true
            return subscription.close()
          },
        }
      },
    }),
  }
}

/** Everything in here happens at once: after some turns of the event loop, all that can happen has. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
}
