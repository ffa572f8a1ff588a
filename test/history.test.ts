import { expect, it } from 'vitest'
import { aClientMessageId, aUser } from './kit/ids.ts'
import { memoryDomain } from './kit/memory-domain.ts'

// Pages that are read while their reader is taken out of the group: whether they may was asked just before.

async function aGroup() {
  let beforeReading = async (): Promise<void> => undefined
  const { domain } = memoryDomain(({ messages }) => ({
    messages: {
      ...messages,
      async below(...asked) {
        const first = beforeReading
        beforeReading = async () => undefined
        await first()
        return messages.below(...asked)
      },
    },
  }))
  const [alice, bob] = [aUser(), aUser()]
  const founded = await domain.groups.create(alice, {
    clientGroupId: aClientMessageId(),
    title: 'Us',
    memberIds: [bob],
  })
  const { id } = founded.conversation
  const owner = () => domain.access.member(alice, id)
  const say = async (body: string) => domain.send(await owner(), { clientMessageId: aClientMessageId(), body })
  const nobody = { add: [], remove: [], roles: [] }
  return {
    say,
    remove: async () => domain.groups.updateMembers(await owner(), { ...nobody, remove: [bob] }),
    add: async () => domain.groups.updateMembers(await owner(), { ...nobody, add: [bob] }),
    pageOfBob: async (meanwhile: () => Promise<unknown>) => {
      const member = await domain.access.member(bob, id)
      beforeReading = async () => void (await meanwhile())
      const { messages } = await domain.history.page(member, { count: 10, from: 'newest' })
      return messages.map(({ body }) => body)
    },
  }
}

it('a page shows nothing that was said after its reader was taken out', async () => {
  const { say, remove, pageOfBob } = await aGroup()
  await say('for all')
  const page = pageOfBob(async () => {
    await remove()
    await say('for those who stayed')
  })
  await expect(page).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('of whoever is back by then it shows what came since', async () => {
  const { say, remove, add, pageOfBob } = await aGroup()
  await say('for all')
  const page = await pageOfBob(async () => {
    await remove()
    await say('for those who stayed')
    await add()
    await say('for all again')
  })
  expect(page).toEqual(['for all again'])
})

it('is whole where they were taken out and came back long before', async () => {
  const { say, remove, add, pageOfBob } = await aGroup()
  await say('for all')
  await remove()
  await add()
  await say('one')
  expect(await pageOfBob(() => say('two'))).toEqual(['two', 'one'])
})
