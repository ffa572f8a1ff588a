import { expect, it } from 'vitest'
import type { Member } from '../../../src/domain/conversations/access.ts'
import type { Domain } from '../../../src/domain/domain.ts'
import type { UserId } from '../../../src/protocol/ids.ts'
import { aClientMessageId, aUser } from '../../kit/ids.ts'
import { memoryDomain } from '../../kit/memory-domain.ts'

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
      counters: async () => {
        throw new Error('away')
      },
    },
  }))
  const [alice, bob] = [aUser(), aUser()]
  await domain.sendTo(alice, bob, { clientMessageId: aClientMessageId(), body: 'hi' })
  await expect(domain.followConversations(bob)).rejects.toThrow('away')
  expect(domain.resyncScheduler.streams()).toBe(0)
})

const nobody = { add: [], remove: [], roles: [] }

async function groupOf(domain: Domain, owner: UserId, ...memberIds: UserId[]): Promise<Member> {
  return domain.groups.create(owner, { clientGroupId: aClientMessageId(), title: 'Us', memberIds })
}

it('a stream of updates says that a group is gone, once, and that it is back', async () => {
  const { domain } = memoryDomain()
  const [alice, bob] = [aUser(), aUser()]
  const { id } = (await groupOf(domain, alice, bob)).conversation
  const stream = await domain.followConversationUpdates(bob)
  const update = async (change: Partial<typeof nobody> | object) =>
    domain.groups.updateMembers(await domain.access.member(alice, id), { ...nobody, ...change })
  await update({ remove: [bob] })
  expect((await stream.next()).value).toEqual({ id, member: undefined })
  await update({ add: [bob] })
  expect((await stream.next()).value).toMatchObject({ id, member: { userId: bob } })
  await domain.groups.leave(await domain.access.member(bob, id))
  expect((await stream.next()).value).toEqual({ id, member: undefined })
  await stream.return?.()
})

it('finds by the periodic resync that a group is gone, where the event was lost; the older stream stays silent of it', async () => {
  const { domain, ports } = memoryDomain()
  const [alice, bob] = [aUser(), aUser()]
  const { id } = (await groupOf(domain, alice, bob)).conversation
  const other = (await groupOf(domain, alice, bob)).conversation
  const [updates, older] = [await domain.followConversationUpdates(bob), await domain.followConversations(bob)]
  const [publishMembership, publishGroupEntry] = [ports.events.publishMembership, ports.events.publishGroupEntry]
  Object.assign(ports.events, { publishMembership: async () => undefined, publishGroupEntry: async () => undefined })
  await domain.groups.updateMembers(await domain.access.member(alice, id), { ...nobody, remove: [bob] })
  Object.assign(ports.events, { publishMembership, publishGroupEntry })
  domain.resyncScheduler.resyncAll()
  expect((await updates.next()).value).toEqual({ id, member: undefined })
  const next = older.next()
  await domain.send(await domain.access.member(alice, other.id), { clientMessageId: aClientMessageId(), body: 'hi' })
  expect((await next).value?.conversation.id).toBe(other.id)
  expect((await updates.next()).value).toMatchObject({ id: other.id, member: {} })
  await Promise.all([updates.return?.(), older.return?.()])
})
