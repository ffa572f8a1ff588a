import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ClientError } from '../../packages/client/src/index.ts'
import { archive, arrange, isHidden, isMuted, mute, pin, setBlocked } from '../../packages/client/src/settings.ts'
import { chatAt, pass, startChat, startServer, turns } from './fake-server.ts'
import { refused } from './kit.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
})
afterEach(() => void vi.useRealTimers())

const notNow = new ClientError('Not now.', { code: 'UNAVAILABLE', retryable: true })

it('muting, pinning and archiving each say only what is to be different, and show at once', async () => {
  const server = startServer()
  server.answers.UpdateConversation = ({ input: { conversationId: _id, ...choice } }) => ({
    updateConversation: { conversation: chatAt(0, choice) },
  })
  const { chat } = await startChat(server)
  const shown = () => chat.conversation({ conversationId: 'dm_1' }).get()
  await pin(chat, 'dm_1', true)
  expect(shown()).toMatchObject({ pinned: true })
  await archive(chat, 'dm_1', true)
  expect(shown()).toMatchObject({ archived: true })
  await mute(chat, 'dm_1', new Date(Date.UTC(2026, 5, 1)))
  expect(shown()).toMatchObject({ mutedUntil: '2026-06-01T00:00:00.000Z' })
  await mute(chat, 'dm_1', null)
  expect(server.asked('UpdateConversation').map(({ input }) => input)).toEqual([
    { conversationId: 'dm_1', pinned: true },
    { conversationId: 'dm_1', archived: true },
    { conversationId: 'dm_1', mutedUntil: '2026-06-01T00:00:00.000Z' },
    { conversationId: 'dm_1', mutedUntil: null },
  ])
})

it('blocking is tried until it is answered, and rejects with what is refused', async () => {
  const server = startServer({ SetBlocked: () => notNow })
  const { chat } = await startChat(server)
  const done = setBlocked(chat, 'bob', true)
  await turns()
  server.answers.SetBlocked = () => ({ setBlocked: { blocked: true } })
  await pass(30_000)
  await done
  expect(server.asked('SetBlocked')).toEqual([
    { input: { userId: 'bob', blocked: true } },
    { input: { userId: 'bob', blocked: true } },
  ])
  server.answers.SetBlocked = () => refused('NOT_FOUND')
  await expect(setBlocked(chat, 'nobody', true)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('a list is arranged with what is pinned on top and what is archived apart, each in its order', () => {
  const chats = [
    { id: 1, pinned: false, archived: false },
    { id: 2, pinned: true, archived: false },
    { id: 3, pinned: true, archived: true },
    { id: 4, pinned: false, archived: false },
    { id: 5, pinned: true, archived: false },
  ]
  const { shown, archived } = arrange(chats)
  expect(shown.map(({ id }) => id)).toEqual([2, 5, 1, 4])
  expect(archived.map(({ id }) => id)).toEqual([3])
})

it('what is muted is so until its time', () => {
  const until = '2026-06-01T00:00:00.000Z'
  expect(isMuted({ mutedUntil: until }, Date.parse(until) - 1)).toBe(true)
  expect(isMuted({ mutedUntil: until }, Date.parse(until))).toBe(false)
  expect(isMuted({ mutedUntil: null }, 0)).toBe(false)
})

it('what somebody says whom the user has blocked is hidden in groups alone', () => {
  const blocked = [{ id: 'mallory' }]
  expect(isHidden(blocked, { kind: 'GROUP' }, 'mallory')).toBe(true)
  expect(isHidden(blocked, { kind: 'GROUP' }, 'bob')).toBe(false)
  expect(isHidden(blocked, { kind: 'DIRECT' }, 'mallory')).toBe(false)
})
