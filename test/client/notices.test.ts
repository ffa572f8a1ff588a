import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { chatAt, latest, pass, startChat, startServer } from './fake-server.ts'
import { event, list, message, notice, page } from './kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const group = { conversationId: 'grp_1' }

const serverOf = () =>
  startServer({
    Conversations: () => list([chatAt(1, { id: 'grp_1', lastMessage: message(1, group) })]),
    Conversation: () => ({ conversation: chatAt(1, { id: 'grp_1', lastMessage: message(1, group) }) }),
    Messages: () => page([message(1, group)]),
  })

it('a notice is shown in its place and acked, and neither handed on nor counted', async () => {
  const server = serverOf()
  const { chat, told } = await startChat(server, { notices: true })
  const timeline = chat.messages(group)
  timeline.subscribe(() => undefined)
  await pass(0)
  expect(server.asked('Messages').at(-1)).toMatchObject({ conversationId: 'grp_1', notices: true })
  expect(latest(server.streams, 'MessageAdded').variables).toMatchObject({ notices: true })
  const before = chat.conversations.get().conversations[0]
  await latest(server.streams, 'MessageAdded').say({ messageAdded: event(notice(2), 1) })
  await pass(2000)
  expect(timeline.get().entries.map(({ key }) => key)).toEqual(['msg_grp_1_1', 'msg_grp_1_2'])
  // The one before it was missing, and was read from the log.
  expect(told).toEqual(['1 m1'])
  const { lastMessage, unreadCount } = chat.conversations.get().conversations[0] ?? expect.fail()
  expect({ lastMessage, unreadCount }).toEqual({ lastMessage: before?.lastMessage, unreadCount: before?.unreadCount })
  expect(server.asked('Ack')).toContainEqual({ input: { conversationId: 'grp_1', seq: 2 } })
})

it('an app that has not asked for notices gets none', async () => {
  const server = serverOf()
  const { chat } = await startChat(server)
  chat.messages(group).subscribe(() => undefined)
  await pass(0)
  for (const asked of server.asked('Messages')) expect(asked).not.toHaveProperty('notices')
  expect(latest(server.streams, 'MessageAdded').variables).not.toHaveProperty('notices')
})
