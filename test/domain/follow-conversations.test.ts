import { expect, it } from 'vitest'
import { aClientMessageId, aUser } from '../kit/ids.ts'
import { memoryDomain } from '../kit/memory-domain.ts'

it('what was read while the stream began is shown, though the stream has seen it already', async () => {
  const [alice, bob] = [aUser(), aUser()]
  let whileItBegins = async (): Promise<void> => undefined
  const { domain } = memoryDomain(({ boundaries }) => ({
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
  expect(domain.resyncScheduler.streams()).toBe(0)
})

it('a stream that cannot begin leaves nothing behind', async () => {
  const { domain } = memoryDomain(({ sequencer }) => ({
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
  expect(domain.resyncScheduler.streams()).toBe(0)
})
