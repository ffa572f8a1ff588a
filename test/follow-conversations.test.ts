import { expect, it } from 'vitest'
import { createDomain } from '../src/domain/domain.ts'
import type { Clock } from '../src/ports/clock.ts'
import type { Ports } from '../src/ports/ports.ts'
import type { MessageId } from '../src/protocol/ids.ts'
import { createMemoryRedis } from '../src/store/memory-redis.ts'
import { createSoftStateMemory } from '../src/store/soft-state.memory.ts'
import { createStoresMemory } from '../src/store/stores.memory.ts'
import { aClientMessageId, aUser } from './kit/ids.ts'

const clock: Clock = { now: () => 1_800_000_000_000, sleep: async () => undefined }

function aDomain(changed: (ports: Ports) => Partial<Ports> = () => ({})) {
  const ports: Ports = { ...createStoresMemory(), ...createSoftStateMemory(createMemoryRedis(clock)), clock }
  const options = {
    nextMessageId: () => '1' as MessageId,
    randomId: () => 'connection',
    onDetachError: () => undefined,
  }
  return createDomain({ ...ports, ...changed(ports) }, options)
}

it('what was read while the stream began is shown, though the stream has seen it already', async () => {
  const [alice, bob] = [aUser(), aUser()]
  let whileItBegins = async (): Promise<void> => undefined
  const domain = aDomain(({ boundaries }) => ({
    boundaries: {
      ...boundaries,
      async ofUser(userId) {
        await whileItBegins()
        return boundaries.ofUser(userId)
      },
    },
  }))
  await domain.sendTo(alice, bob, { clientMessageId: aClientMessageId(), body: 'hi' })
  const member = await domain.access.direct(bob, alice)
  whileItBegins = async () => void (await domain.markRead(member, 1))
  const stream = await domain.followConversations(bob)
  const { value } = await stream.next()
  expect(value?.conversation.id).toBe(member.conversation.id)
  await stream.return?.()
  expect(domain.beat.streams()).toBe(0)
})

it('a stream that cannot begin leaves nothing behind', async () => {
  const domain = aDomain(({ sequencer }) => ({
    sequencer: {
      ...sequencer,
      heads: async () => {
        throw new Error('away')
      },
    },
  }))
  const [alice, bob] = [aUser(), aUser()]
  await domain.sendTo(alice, bob, { clientMessageId: aClientMessageId(), body: 'hi' })
  await expect(domain.followConversations(bob)).rejects.toThrow('away')
  expect(domain.beat.streams()).toBe(0)
})
