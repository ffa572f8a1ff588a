import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createGroup, leaveGroup, renameGroup, updateMembers } from '../../packages/client/src/groups.ts'
import { type ChatOptions, memoryStorage } from '../../packages/client/src/index.ts'
import { presenceOf } from '../../packages/client/src/presence.ts'
import { pin, setBlocked } from '../../packages/client/src/settings.ts'
import { type Device, startDevice } from '../kit/runtime.ts'
import { startWorld, type World } from '../kit/world.ts'

// Groups, lists and presence between clients and two nodes as they are.

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

async function deviceOf(userId: string, options: Partial<ChatOptions> & { node?: number } = {}): Promise<Device> {
  const { node = 0, ...rest } = options
  const device = startDevice(userId, `${world.url(node)}/graphql`, { pollEveryMs: 200, ...rest })
  onTestFinished(device.leave)
  await device.online()
  return device
}

const eventually = (assertion: () => void) => vi.waitFor(assertion, { timeout: 20_000, interval: 20 })

async function threePeople(options: Partial<ChatOptions> = {}) {
  const [alice, bob, carol] = await Promise.all(
    ['alice', 'bob', 'carol'].map(async (name) => (await world.person(name)).userId),
  )
  if (!alice || !bob || !carol) throw new Error('Nobody there.')
  const atAlice = await deviceOf(alice)
  const atBob = await deviceOf(bob, { node: 1 })
  const atCarol = await deviceOf(carol, { node: 1, ...options })
  const { id: conversationId } = await createGroup(atAlice, 'Tea', [bob, carol])
  return { alice, bob, carol, atAlice, atBob, atCarol, group: { conversationId } }
}

const titles = (device: Device) => device.conversations.get().conversations.map(({ title }) => title)

describe.each(['websocket', 'sse', 'polling'] as const)('in a group, one of them over %s', (via) => {
  it('three people write, see its title, and are counted', async () => {
    const { atAlice, atBob, atCarol, group } = await threePeople({ transports: [via] })
    atAlice.send(group, 'hi all')
    await eventually(() => expect(atCarol.told).toEqual([expect.stringContaining('hi all')]))
    await eventually(() => expect(titles(atBob)).toEqual(['Tea']))
    await eventually(() => expect(titles(atCarol)).toEqual(['Tea']))
    await eventually(() => expect(atCarol.conversations.get().conversations).toMatchObject([{ unreadCount: 1 }]))
    await renameGroup(atAlice, group.conversationId, 'Coffee')
    await eventually(() => expect(titles(atCarol)).toEqual(['Coffee']))
  })

  it('one who is removed sees it leave their list, though it is not open', async () => {
    const { carol, atAlice, atCarol, group } = await threePeople({ transports: [via] })
    await eventually(() => expect(titles(atCarol)).toEqual(['Tea']))
    await updateMembers(atAlice, group.conversationId, { remove: [carol] })
    await eventually(() => expect(titles(atCarol)).toEqual([]))
    await updateMembers(atAlice, group.conversationId, { add: [carol] })
    await eventually(() => expect(titles(atCarol)).toEqual(['Tea']))
  })

  it('one who is removed has left it, and what they write to it fails', async () => {
    const { carol, atAlice, atCarol, group } = await threePeople({ transports: [via] })
    atAlice.send(group, 'hi all')
    await eventually(() => expect(atCarol.told).toHaveLength(1))
    atCarol.look(group)
    await updateMembers(atAlice, group.conversationId, { remove: [carol] })
    atCarol.send(group, 'wait')
    await eventually(() => expect(atCarol.messages(group).get()).toMatchObject({ left: true }))
    await eventually(() => expect(atCarol.sees(group)).toEqual(['wait failed']))
    expect(titles(atCarol)).toEqual([])
    atAlice.send(group, 'she is gone')
    await eventually(() => expect(atAlice.told).toHaveLength(2))
    expect(atCarol.told).toHaveLength(1)
    await updateMembers(atAlice, group.conversationId, { add: [carol] })
    atAlice.send(group, 'welcome back')
    await eventually(() => expect(atCarol.told).toEqual([expect.anything(), expect.stringContaining('welcome back')]))
    await eventually(() => expect(atCarol.messages(group).get().left).toBeUndefined())
  })
})

it('one who was removed while away resumes with the rest of their chats', async () => {
  const storage = memoryStorage()
  const { alice, carol, atAlice, atCarol, group } = await threePeople({ storage })
  atAlice.send(group, 'hi all')
  atAlice.send({ userId: carol }, 'hi you')
  await eventually(() => expect(atCarol.told).toHaveLength(2))
  await atCarol.leave()
  await updateMembers(atAlice, group.conversationId, { remove: [carol] })
  atAlice.send(group, 'not for her')
  atAlice.send({ userId: carol }, 'for her')
  await eventually(() => expect(atAlice.told).toHaveLength(4))
  const back = await deviceOf(carol, { storage })
  await eventually(() => expect(back.told).toEqual([expect.stringContaining('for her')]))
  expect(back.connection.get()).toMatchObject({ state: 'online', via: 'websocket' })
  await eventually(() => expect(back.messages(group).get()).toMatchObject({ left: true, entries: [] }))
  const positionKey = `position:${group.conversationId}`
  await expect.poll(async () => (await storage.load()).map(([key]) => key)).not.toContain(positionKey)
  back.look({ userId: alice })
  await eventually(() => expect(back.sees({ userId: alice })).toEqual(['hi you', 'for her']))
})

it('one who leaves is out on all of their devices, and ticks do not wait for them', async () => {
  const { bob, atAlice, atBob, atCarol, group } = await threePeople()
  const other = await deviceOf(bob)
  atAlice.look(group)
  other.look(group)
  atAlice.send(group, 'hi all')
  await eventually(() => expect([atBob, other, atCarol].map(({ told }) => told.length)).toEqual([1, 1, 1]))
  onTestFinished(atAlice.conversation(group).subscribe(() => undefined))
  await leaveGroup(atBob, group.conversationId)
  expect(atBob.messages(group).get().left).toBe(true)
  await eventually(() => expect(other.messages(group).get().left).toBe(true))
  await eventually(() => expect(atAlice.conversation(group).get()?.memberships).toHaveLength(2))
  const [last] = atAlice.conversations.get().conversations
  atCarol.markRead(group.conversationId, last?.lastMessage?.seq ?? 0)
  await eventually(() => expect(atAlice.sees(group)).toEqual(['hi all READ']))
})

it('what is set or read on one device shows on another', async () => {
  const { bob, atAlice, atBob, group } = await threePeople()
  const other = await deviceOf(bob)
  atAlice.send(group, 'hi all')
  await eventually(() => expect(other.conversations.get().conversations).toMatchObject([{ unreadCount: 1 }]))
  await pin(atBob, group.conversationId, true)
  await eventually(() => expect(other.conversations.get().conversations).toMatchObject([{ pinned: true }]))
  atBob.markRead(group.conversationId, other.conversations.get().conversations[0]?.lastMessage?.seq ?? 0)
  await eventually(() => expect(other.conversations.get().conversations).toMatchObject([{ unreadCount: 0 }]))
})

it('one sees who comes and goes, also where streams are few', async () => {
  const { bob, atAlice, atBob, atCarol } = await threePeople({ transports: ['sse'] })
  for (const each of [atAlice, atCarol]) onTestFinished(presenceOf(each, bob).subscribe(() => undefined))
  const states = () => [atAlice, atCarol].map((each) => presenceOf(each, bob).get()?.state)
  await eventually(() => expect(states()).toEqual(['ONLINE', 'ONLINE']))
  await atBob.leave()
  await eventually(() => expect(states()).toEqual(['OFFLINE', 'OFFLINE']))
})

it('one who is blocked cannot write, and is not told why', async () => {
  const { alice, bob, atAlice, atBob } = await threePeople()
  await setBlocked(atAlice, bob, true)
  atBob.send({ userId: alice }, 'hello?')
  await eventually(() => expect(atBob.outbox.get()).toMatchObject([{ state: 'failed' }]))
  await setBlocked(atAlice, bob, false)
  atBob.retry(atBob.outbox.get()[0]?.clientMessageId ?? '')
  await eventually(() => expect(atAlice.told).toEqual([expect.stringContaining('hello?')]))
})
