import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { memoryStorage } from '../../packages/client/src/index.ts'
import { archive, mute, unreadConversations } from '../../packages/client/src/settings.ts'
import { chatAt, latest, pass, type Server, startChat, startServer, turns } from './fake-server.ts'
import { boundary, conversation, deferred, list, message, refused } from './kit.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
})
afterEach(() => void vi.useRealTimers())

const chat = (id: string, unreadCount = 0, shape: Parameters<typeof conversation>[0] = {}) =>
  conversation({
    id,
    unreadCount,
    lastMessage: message(9, { conversationId: id }),
    ticks: [boundary('alice', 9, 0, id), boundary('bob', 9, 9, id)],
    ...shape,
  })

/** Alice's device. With `loaded`, it is no new one: it loads the page with these chats, and not the rest of her list. */
async function startCounting(server: Server, loaded: readonly string[] = []) {
  const storage = memoryStorage()
  const positions = loaded.map((id): [string, unknown] => [`position:${id}`, 9])
  if (loaded.length > 0) await storage.write(new Map([['device', true], ...positions]))
  const started = await startChat(server, { storage })
  const count = unreadConversations(started.chat)
  onTestFinished(count.subscribe(() => undefined))
  await turns()
  return { ...started, count: () => count.get() }
}

/** A list that goes on after these. */
function longList(total: number, ...loaded: ReturnType<typeof chat>[]): Server {
  return startServer({
    Conversations: ({ after }) => (after ? list([]) : list(loaded, true)),
    Conversation: ({ id }) => ({ conversation: chat(id, 1) }),
    UnreadConversationCount: () => ({ unreadConversationCount: total }),
  })
}

it('is what the list says where all of it is loaded, without what is muted or archived', async () => {
  const muted = { mutedUntil: '2126-06-01T00:00:00.000Z' }
  const server = startServer({
    Conversations: () => list([chat('dm_1', 3), chat('dm_2'), chat('dm_3', 1, muted), chat('dm_4', 9), chatAt(0)]),
    UnreadConversationCount: () => ({ unreadConversationCount: 7 }),
    UpdateConversation: ({ input: { conversationId, ...choice } }) => ({
      updateConversation: { conversation: chat(conversationId, 3, choice) },
    }),
  })
  const { chat: hers, count } = await startCounting(server)
  expect(count()).toBe(2)
  expect(server.asked('UnreadConversationCount')).toEqual([])
  await archive(hers, 'dm_4', true)
  expect(count()).toBe(1)
  await mute(hers, 'dm_3', null)
  expect(count()).toBe(2)
})

it('is counted by the server where the list goes on, and follows what changes in the chats that are known', async () => {
  const server = longList(5, chat('dm_1', 3), chat('dm_2'))
  const { chat: hers, count } = await startCounting(server, ['dm_1', 'dm_2'])
  expect(hers.conversations.get()).toMatchObject({ hasMore: true })
  expect(count()).toBe(5)
  hers.markRead('dm_1', 9)
  expect(count()).toBe(4)
  await server.hear(10, { conversationId: 'dm_2' })
  expect(count()).toBe(5)
  expect(server.asked('UnreadConversationCount')).toHaveLength(1)
})

it('is right again within half a minute, if something changed while the server counted', async () => {
  const server = longList(5, chat('dm_1', 3), chat('dm_2'))
  const answer = deferred<unknown>()
  server.answers.UnreadConversationCount = () => answer.promise
  const { chat: hers, count } = await startCounting(server, ['dm_1', 'dm_2'])
  hers.markRead('dm_1', 9)
  answer.resolve({ unreadConversationCount: 5 })
  await turns()
  server.answers.UnreadConversationCount = () => ({ unreadConversationCount: 4 })
  await server.hear(10, { conversationId: 'dm_2', from: 'alice' })
  await pass(30_000)
  expect(count()).toBe(4)
})

it('stays at a hundred while there may be more', async () => {
  const { chat: hers, count } = await startCounting(longList(100, chat('dm_1', 3)), ['dm_1'])
  hers.markRead('dm_1', 9)
  expect(count()).toBe(100)
})

it('is counted again when a chat becomes known: it may have been unread before', async () => {
  const server = longList(5, chat('dm_1', 3))
  const { count } = await startCounting(server, ['dm_1'])
  await server.hear(10, { conversationId: 'dm_9' })
  expect(server.asked('UnreadConversationCount')).toHaveLength(2)
  expect(count()).toBe(5)
})

it('stays as it was while the server cannot count, and is right with the next link', async () => {
  const server = longList(5, chat('dm_1', 3))
  const { chat: hers, count } = await startCounting(server, ['dm_1'])
  server.answers.UnreadConversationCount = () => refused('UNAVAILABLE')
  await server.hear(10, { conversationId: 'dm_9' })
  expect(count()).toBe(5)
  server.answers.UnreadConversationCount = () => ({ unreadConversationCount: 8 })
  await latest(server.streams, 'MessageAdded').cut()
  hers.reconnect()
  await turns()
  expect(count()).toBe(8)
})

it('asks nothing while no one looks', async () => {
  const server = longList(5, chat('dm_1', 3))
  const { chat: hers } = await startChat(server)
  const stop = unreadConversations(hers).subscribe(() => undefined)
  await turns()
  stop()
  const asked = server.asked('UnreadConversationCount').length
  await server.hear(10, { conversationId: 'dm_9' })
  hers.reconnect()
  await turns()
  expect(server.asked('UnreadConversationCount')).toHaveLength(asked)
})
