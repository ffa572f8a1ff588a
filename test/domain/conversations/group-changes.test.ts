import { expect, it } from 'vitest'
import type { ClientMessageId, UserId } from '../../../src/protocol/ids.ts'
import { memoryDomain } from '../../kit/memory-domain.ts'

const [alice, bob] = ['alice', 'bob'] as [UserId, UserId]
const request = { clientGroupId: 'group' as ClientMessageId, title: 'Tea', memberIds: [bob] }

it('a rename whose author was removed before it took effect is refused, also if they are back by then', async () => {
  let beforeReplace: (() => Promise<unknown>) | undefined
  let onRaise: (() => Promise<unknown>) | undefined
  const once = async (hook: (() => Promise<unknown>) | undefined, forget: () => void) => {
    forget()
    await hook?.()
  }
  const { domain } = memoryDomain(({ conversations, versions }) => ({
    conversations: {
      ...conversations,
      async replace(group, version) {
        await once(beforeReplace, () => {
          beforeReplace = undefined
        })
        return conversations.replace(group, version)
      },
    },
    versions: {
      ...versions,
      async raise(id, version) {
        await versions.raise(id, version)
        await once(onRaise, () => {
          onRaise = undefined
        })
      },
    },
  }))
  const owner = await domain.groups.create(alice, request)
  const { id } = owner.conversation
  await domain.groups.updateMembers(owner, { add: [], remove: [], roles: [{ userId: bob, role: 'ADMIN' }] })
  const admin = await domain.access.member(bob, id)
  beforeReplace = async () => {
    await domain.groups.updateMembers(owner, { add: [], remove: [bob], roles: [] })
    // Bob's node sees that he is out; then he is added again.
    onRaise = () => domain.groups.updateMembers(owner, { add: [bob], remove: [], roles: [] })
  }
  await expect(domain.groups.rename(admin, 'Coffee')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const { conversation } = await domain.access.member(bob, id)
  expect(conversation).toMatchObject({ title: 'Tea', members: [alice, bob] })
})

it('a change of a group takes no number below its version, whatever Redis gives out', async () => {
  let given: number | undefined
  const { domain } = memoryDomain(({ sequencer }) => ({
    sequencer: {
      ...sequencer,
      async reserve(id, key) {
        const reserved = await sequencer.reserve(id, key)
        return reserved && given !== undefined ? { ...reserved, seq: given } : reserved
      },
    },
  }))
  const owner = await domain.groups.create(alice, request)
  const { id } = owner.conversation
  // A writer died with seq 2, so there is a hole below the version of the next change.
  given = 3
  const { conversation: before } = await domain.groups.rename(owner, 'Coffee')
  expect(before).toMatchObject({ title: 'Coffee', version: 3 })
  given = 2
  const { conversation: after } = await domain.groups.rename(await domain.access.member(alice, id), 'Juice')
  expect(after).toMatchObject({ title: 'Juice' })
  expect('version' in after && after.version).toBeGreaterThan(3)
})
