import { expect, it } from 'vitest'
import type { ClientMessageId, UserId } from '../../src/protocol/ids.ts'
import { memoryDomain } from '../kit/memory-domain.ts'

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
    // Bob's node sees that he is out; then he is taken back.
    onRaise = () => domain.groups.updateMembers(owner, { add: [bob], remove: [], roles: [] })
  }
  await expect(domain.groups.rename(admin, 'Coffee')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const { conversation } = await domain.access.member(bob, id)
  expect(conversation).toMatchObject({ title: 'Tea', members: [alice, bob] })
})
