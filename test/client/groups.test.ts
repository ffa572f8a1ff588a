import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createGroup, leaveGroup, renameGroup, updateMembers } from '../../packages/client/src/groups.ts'
import { ClientError, memoryStorage } from '../../packages/client/src/index.ts'
import { chatAt, pass, startChat, startServer, turns } from './fake-server.ts'
import { boundary, conversation, deferred, keptIn, list, message, page, refused, stored } from './kit.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
})
afterEach(() => void vi.useRealTimers())

const notNow = new ClientError('Not now.', { code: 'UNAVAILABLE', retryable: true })
const tea = { conversationId: 'grp_1' }
const group = (seq: number, shape: Parameters<typeof conversation>[0] = {}) => {
  const lastMessage = seq > 0 ? message(seq, { conversationId: 'grp_1' }) : null
  return conversation({ id: 'grp_1', kind: 'GROUP', title: 'Tea', lastMessage, ...shape })
}
const inGroup = { Conversations: () => list([chatAt(4), group(4)]) }

/** Kept by an earlier run. */
async function storageWith(kept: Record<string, unknown>) {
  const storage = memoryStorage()
  await storage.write(new Map(Object.entries({ device: true, ...kept })))
  return storage
}

describe('a group', () => {
  it('is made once, however often it must be asked for, and shows at once', async () => {
    const server = startServer({ CreateGroup: () => notNow })
    const { chat } = await startChat(server)
    const made = createGroup(chat, 'Tea', ['bob', 'carol'])
    await turns()
    server.answers.CreateGroup = () => ({ createGroup: { conversation: group(0) } })
    await pass(30_000)
    expect(await made).toMatchObject({ id: 'grp_1', title: 'Tea' })
    const input = { clientGroupId: 'id1', title: 'Tea', memberIds: ['bob', 'carol'] }
    expect(server.asked('CreateGroup')).toEqual([{ input }, { input }])
    expect(chat.conversation(tea).get()).toMatchObject({ title: 'Tea' })
  })

  it('changes as it is told to, and says what is refused', async () => {
    const members = ['alice', 'carol'].map((id) => ({ id, name: null }))
    const server = startServer({
      ...inGroup,
      UpdateMembers: () => ({ updateMembers: { conversation: group(4, { members }) } }),
      UpdateConversation: () => refused('FORBIDDEN', 'Only admins.'),
    })
    const { chat } = await startChat(server)
    await updateMembers(chat, 'grp_1', { add: ['carol'], remove: ['bob'], roles: [{ userId: 'carol', role: 'ADMIN' }] })
    expect(server.asked('UpdateMembers')).toEqual([
      {
        input: {
          conversationId: 'grp_1',
          add: ['carol'],
          remove: ['bob'],
          roles: [{ userId: 'carol', role: 'ADMIN' }],
        },
      },
    ])
    expect(chat.conversation(tea).get()).toMatchObject({ members })
    await expect(renameGroup(chat, 'grp_1', 'Coffee')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(server.asked('UpdateConversation')).toEqual([{ input: { conversationId: 'grp_1', title: 'Coffee' } }])
    expect(chat.conversation(tea).get()).toMatchObject({ title: 'Tea' })
  })

  it('is not waited for by those who have left it: ticks are those of its members', async () => {
    const ticks = [boundary('alice', 0, 0, 'grp_1'), boundary('bob', 4, 4, 'grp_1'), boundary('carol', 0, 0, 'grp_1')]
    const server = startServer({ Conversations: () => list([group(4, { ticks })]) })
    const { chat } = await startChat(server)
    expect(chat.ticks(tea).get().tickOf(4)).toBe('SENT')
    server.answers.Conversations = () => list([group(4, { ticks: ticks.slice(0, 2) })])
    await pass(3000)
    expect(chat.ticks(tea).get().tickOf(4)).toBe('READ')
  })

  it('one is added to comes with its first message, from wherever its history begins', async () => {
    const server = startServer({ Conversation: () => ({ conversation: group(30) }) })
    const { chat, told } = await startChat(server)
    server.answers.Messages = () => page([30].map((seq) => message(seq, { conversationId: 'grp_1' })))
    await server.hear(30, { conversationId: 'grp_1' }, 29)
    expect(told).toEqual(['30 m30'])
    expect(chat.conversations.get().conversations.map(({ id }) => id)).toContain('grp_1')
  })
})

describe('leaving', () => {
  it('takes the group from the list, its timeline and what is kept of it', async () => {
    const storage = await storageWith({ 'position:grp_1': 4, 'position:dm_1': 4, 'changed:grp_1': 4 })
    const server = startServer({
      ...inGroup,
      Messages: () => page([message(4, { conversationId: 'grp_1' })]),
      LeaveConversation: () => ({ leaveConversation: tea }),
    })
    const { chat } = await startChat(server, { storage })
    const timeline = chat.messages(tea)
    onTestFinished(timeline.subscribe(() => undefined))
    await turns()
    expect(timeline.get().entries).toHaveLength(1)
    await leaveGroup(chat, 'grp_1')
    await turns()
    expect(chat.conversations.get().conversations.map(({ id }) => id)).toEqual(['dm_1'])
    expect(timeline.get()).toMatchObject({ left: true, entries: [] })
    expect(Object.keys(await keptIn(storage))).not.toContain('position:grp_1')
    expect(Object.keys(await keptIn(storage))).not.toContain('changed:grp_1')
    expect(await keptIn(storage)).toMatchObject({ 'position:dm_1': 4 })
  })

  it('that has happened already has happened', async () => {
    const server = startServer({
      ...inGroup,
      LeaveConversation: () => notNow,
      Conversation: () => ({ conversation: null }),
    })
    const { chat } = await startChat(server)
    const left = leaveGroup(chat, 'grp_1')
    await turns()
    server.answers.LeaveConversation = () => refused('NOT_FOUND')
    server.answers.Conversations = () => list([chatAt(4)])
    await pass(30_000)
    await left
    expect(chat.messages(tea).get().left).toBe(true)
  })

  it('that is refused leaves everything as it is', async () => {
    const server = startServer({ ...inGroup, LeaveConversation: () => refused('FORBIDDEN') })
    const { chat } = await startChat(server)
    await expect(leaveGroup(chat, 'grp_1')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(chat.messages(tea).get().left).toBeUndefined()
  })
})

describe('a group somebody has removed us from', () => {
  it('while we were away is not there any more on resume: it alone is dropped, and the rest goes on', async () => {
    const storage = await storageWith({ 'position:grp_1': 9, 'changed:grp_1': 9, 'position:dm_1': 2 })
    const server = startServer({
      Conversations: () => list([chatAt(3)]),
      StillThere: () => ({ nodes: [null] }),
    })
    const { chat, told } = await startChat(server, { storage })
    await server.hear(3)
    expect(told).toEqual(['3 m3'])
    expect(chat.connection.get()).toMatchObject({ state: 'online', via: 'sse' })
    expect(server.asked('StillThere')).toEqual([{ ids: ['grp_1'] }])
    expect(chat.messages(tea).get().left).toBe(true)
    const kept = await keptIn(storage)
    expect(kept).toMatchObject({ device: true, 'position:dm_1': 3 })
    expect(Object.keys(kept).filter((key) => key.endsWith('grp_1'))).toEqual([])
  })

  it('is noticed when something is sent to it: that fails, and the group is gone', async () => {
    const server = startServer({
      ...inGroup,
      SendMessage: () => refused('NOT_FOUND', 'There is no such conversation.'),
      Conversation: () => ({ conversation: null }),
    })
    const { chat } = await startChat(server)
    chat.send(tea, 'one')
    chat.send(tea, 'two')
    await turns()
    expect(chat.outbox.get()).toMatchObject([
      { body: 'one', state: 'failed', error: { code: 'NOT_FOUND' } },
      { body: 'two', state: 'failed', error: { code: 'NOT_FOUND' } },
    ])
    expect(chat.messages(tea).get()).toMatchObject({
      left: true,
      entries: [{ type: 'outgoing' }, { type: 'outgoing' }],
    })
  })

  it('does not keep on its way what was stored before, and will not come back', async () => {
    const own = { from: 'alice', clientMessageId: 'id1', conversationId: 'grp_1' }
    const server = startServer({ ...inGroup, SendMessage: () => stored(message(5, own)) })
    const { chat } = await startChat(server)
    chat.send(tea, 'hi')
    await turns()
    expect(chat.outbox.get()).toMatchObject([{ state: 'sent' }])
    chat.drop('grp_1')
    expect(chat.outbox.get()).toEqual([])
  })

  it('is noticed when its history is asked for', async () => {
    const server = startServer({
      ...inGroup,
      Messages: () => refused('NOT_FOUND'),
      Conversation: () => ({ conversation: null }),
    })
    const { chat } = await startChat(server)
    onTestFinished(chat.messages(tea).subscribe(() => undefined))
    await turns()
    expect(chat.messages(tea).get()).toEqual({
      entries: [],
      conversationId: 'grp_1',
      loading: false,
      hasOlder: false,
      hasNewer: false,
      left: true,
    })
    expect(server.asked('Conversation')).toEqual([{ id: 'grp_1' }])
  })

  it.each(['sse', 'polling'] as const)('is noticed by the list that is read again and again over %s', async (via) => {
    const server = startServer(inGroup)
    const { chat } = await startChat(server, { transports: [via] })
    server.answers.Conversations = () => list([chatAt(4)])
    server.answers.Conversation = () => ({ conversation: null })
    await pass(3000)
    expect(chat.conversations.get().conversations.map(({ id }) => id)).toEqual(['dm_1'])
  })
})

describe('a conversation somebody looks at', () => {
  it('is read where the list has not shown it, as soon as there is a way', async () => {
    const here = deferred<unknown>()
    const server = startServer({ Viewer: () => here.promise, Conversation: () => ({ conversation: group(4) }) })
    const { chat } = await startChat(server, { transports: ['polling'] })
    const observable = chat.conversation(tea)
    const told = vi.fn()
    onTestFinished(observable.subscribe(told))
    server.answers.Conversation = () => notNow
    await turns()
    expect(observable.get()).toBeUndefined()
    server.answers.Conversation = () => ({ conversation: group(4) })
    here.resolve({ viewer: { id: 'alice', name: null } })
    await turns()
    expect(observable.get()).toMatchObject({ title: 'Tea', memberships: [{ role: 'MEMBER' }, { role: 'MEMBER' }] })
    expect(told).toHaveBeenCalled()
  })
})
