import { expect, it } from 'vitest'
import type { Member } from '../../../src/domain/conversations/access.ts'
import type { Seq } from '../../../src/protocol/ids.ts'
import { aClientMessageId, aUser, upTo } from '../../kit/ids.ts'
import { memoryDomain } from '../../kit/memory-domain.ts'

// A reader is removed from the group while a page is read; access was checked just before.

async function aGroup() {
  let meanwhile = async (): Promise<unknown> => undefined
  async function beforeReading(): Promise<void> {
    const first = meanwhile
    meanwhile = async () => undefined
    await first()
  }
  const { domain } = memoryDomain(({ messages }) => ({
    messages: {
      ...messages,
      below: (...asked) => beforeReading().then(() => messages.below(...asked)),
      get: (...asked) => beforeReading().then(() => messages.get(...asked)),
      getMany: (...asked) => beforeReading().then(() => messages.getMany(...asked)),
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
  /** Returns what Bob reads. His membership was checked just before the change. */
  async function asBob<Read>(read: (member: Member) => Promise<Read>, change: () => Promise<unknown>): Promise<Read> {
    const member = await domain.access.member(bob, id)
    meanwhile = change
    return read(member)
  }
  return {
    say,
    remove: async () => domain.groups.updateMembers(await owner(), { ...nobody, remove: [bob] }),
    add: async () => domain.groups.updateMembers(await owner(), { ...nobody, add: [bob] }),
    pageOfBob: (change: () => Promise<unknown>) =>
      asBob(async (member) => {
        const { messages } = await domain.history.page(member, { count: 10, from: 'newest' })
        return messages.map(({ body }) => body)
      }, change),
    lastOfBob: (change: () => Promise<unknown>) =>
      asBob(async (member) => {
        const [tail] = await domain.chats.tails([member])
        return tail?.lastMessage?.body
      }, change),
    messageOfBob: (seq: Seq, change: () => Promise<unknown>) =>
      asBob(async (member) => (await domain.history.message(member, seq))?.body, change),
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

it('nor where more was said since than it holds, so that their removal is not on it', async () => {
  const { say, remove, pageOfBob } = await aGroup()
  await say('for all')
  const page = pageOfBob(async () => {
    await remove()
    for (const n of upTo(30)) await say(`${n} for those who stayed`)
  })
  await expect(page).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('of whoever is back, and has missed more than it holds, it shows what came since', async () => {
  const { say, remove, add, pageOfBob } = await aGroup()
  await say('for all')
  const page = await pageOfBob(async () => {
    await remove()
    for (const n of upTo(30)) await say(`${n} for those who stayed`)
    await add()
    for (const n of upTo(4)) await say(`${n} for all again`)
  })
  expect(page).toEqual([4, 3, 2, 1].map((n) => `${n} for all again`))
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

it('the last message of a chat is none that was said after its reader was taken out', async () => {
  const { say, remove, lastOfBob } = await aGroup()
  await say('for all')
  const last = await lastOfBob(async () => {
    await remove()
    await say('for those who stayed')
  })
  expect(last).toBeUndefined()
})

it('nor one said before they were back', async () => {
  const { say, remove, add, lastOfBob } = await aGroup()
  await say('for all')
  const last = await lastOfBob(async () => {
    await remove()
    await say('for those who stayed')
    await add()
  })
  expect(last).toBeUndefined()
})

it('but one that others were told too', async () => {
  const { say, lastOfBob } = await aGroup()
  await say('for all')
  expect(await lastOfBob(() => say('for all again'))).toBe('for all again')
})

it('a message by its id is none that was said after its reader was taken out', async () => {
  const { say, remove, messageOfBob } = await aGroup()
  const { message: before } = await say('for all')
  const body = await messageOfBob(before.seq + 2, async () => {
    await remove()
    const { message } = await say('for those who stayed')
    expect(message.seq).toBe(before.seq + 2)
  })
  expect(body).toBeUndefined()
})

it('and is there for whoever is still in', async () => {
  const { say, messageOfBob } = await aGroup()
  const { message: before } = await say('for all')
  expect(await messageOfBob(before.seq + 1, () => say('for all again'))).toBe('for all again')
})
