import { expect, it } from 'vitest'
import type { Member } from '../../../src/domain/conversations/access.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import type { ClientMessageId, UserId } from '../../../src/protocol/ids.ts'
import { memoryDomain } from '../../kit/memory-domain.ts'

const [alice, bob] = ['alice', 'bob'] as [UserId, UserId]
const request = { clientGroupId: 'group' as ClientMessageId, title: 'Group', memberIds: [bob] }
const takeBack = { add: [bob], remove: [], roles: [] }

it('whoever leaves is not taken back by somebody who adds them the moment they are out', async () => {
  let onGone: () => Promise<unknown> = async () => undefined
  const { domain } = memoryDomain(({ conversations }) => ({
    conversations: {
      ...conversations,
      async replace(group, version) {
        const isReplaced = await conversations.replace(group, version)
        if (isReplaced && !group.membersById.has(bob)) await onGone()
        return isReplaced
      },
    },
  }))
  const owner = await domain.groups.create(alice, request)
  const { id } = owner.conversation
  let added: Member | undefined
  onGone = async () => {
    added = await domain.groups.updateMembers(owner, takeBack)
  }
  await domain.groups.leave(await domain.access.member(bob, id))
  expect(added?.conversation.members).toEqual([alice])
  expect((await domain.access.member(alice, id)).conversation.members).toEqual([alice])
})

it('a departure that could not be written leaves the member in the group, and the retry goes through', async () => {
  let fails = true
  const { domain } = memoryDomain(({ departures }) => ({
    departures: {
      ...departures,
      put: async (departure) => (fails ? Promise.reject(unavailable()) : departures.put(departure)),
    },
  }))
  const owner = await domain.groups.create(alice, request)
  const leave = async () => domain.groups.leave(await domain.access.member(bob, owner.conversation.id))
  await expect(leave()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await domain.access.member(bob, owner.conversation.id)).toBeDefined()
  fails = false
  await leave()
  expect((await domain.groups.updateMembers(owner, takeBack)).conversation.members).toEqual([alice])
})

it('a departure of today outlives the end of an earlier one that comes late', async () => {
  let late: (() => Promise<void>) | undefined
  const { domain, ports } = memoryDomain(({ departures }) => ({
    departures: {
      ...departures,
      async remove(departure) {
        late = () => departures.remove(departure)
      },
    },
  }))
  const owner = await domain.groups.create(alice, request)
  const leave = async () => domain.groups.leave(await domain.access.member(bob, owner.conversation.id))
  await leave()
  await ports.clock.sleep(1000)
  await domain.sendTo(bob, alice, { clientMessageId: 'back' as ClientMessageId, body: 'take me back' })
  expect((await domain.groups.updateMembers(owner, takeBack)).conversation.members).toEqual([alice, bob])
  await ports.clock.sleep(1000)
  await leave()
  await late?.()
  expect((await domain.groups.updateMembers(owner, takeBack)).conversation.members).toEqual([alice])
})
