import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ClientError, createChat, memoryStorage } from '../../packages/client/src/index.ts'
import { chatAt, latest, pass, type Server, startChat, startServer, turns } from './fake-server.ts'
import {
  boundary,
  busy,
  conversation,
  deferred,
  expectNoTimers,
  isDone,
  keptIn,
  list,
  message,
  page,
  refused,
  stored,
} from './kit.ts'

// The parts put together as an application gets them; the test is the server, behind fetch.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  // Since Node 22 there is one, which would look for the server in the network, and set timers of its own.
  vi.stubGlobal('WebSocket', undefined)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const notNow = new ClientError('Not now.', { code: 'UNAVAILABLE', retryable: true })
const bob = { userId: 'bob' }
const chatId = { conversationId: 'dm_1' }

describe('delivered', () => {
  it('is acked for the unbroken prefix only, and not for what is held', async () => {
    const log = deferred<unknown>()
    const server = startServer({ Messages: () => log.promise })
    const { told } = await startChat(server)
    await server.hear(1)
    await server.hear(2)
    await server.hear(5)
    await pass(60_000)
    expect(server.asked('Ack')).toEqual([{ input: { conversationId: 'dm_1', seq: 2 } }])
    expect(told).toEqual(['1 m1', '2 m2'])
    log.resolve(page([1, 2, 3, 4, 5].map((seq) => message(seq))))
    await turns()
    await pass(200)
    expect(told.slice(2)).toEqual(['3 m3', '4 m4', '5 m5'])
    expect(server.asked('Ack').slice(1)).toEqual([{ input: { conversationId: 'dm_1', seq: 5 } }])
  })

  it('is not acked for the user’s own messages', async () => {
    const server = startServer()
    const { told } = await startChat(server)
    await server.hear(1, { from: 'alice', clientMessageId: 'of another device' })
    await pass(60_000)
    expect(told).toEqual(['1 m1'])
    expect(server.asked('Ack')).toEqual([])
  })

  it('is not acked again for what another device has acked', async () => {
    const ticks = [boundary('alice', 3, 3), boundary('bob', 3)]
    const server = startServer({ Conversations: () => list([chatAt(3, { ticks })]) })
    const storage = memoryStorage()
    await storage.write(new Map(Object.entries({ device: true, 'position:dm_1': 1 })))
    const { told } = await startChat(server, { storage })
    await server.hear(2)
    await server.hear(3)
    await pass(60_000)
    expect(told).toEqual(['2 m2', '3 m3'])
    expect(server.asked('Ack')).toEqual([])
  })
})

describe('an application', () => {
  it('that throws keeps neither others from being told nor the message from being kept', async () => {
    const uncaught: unknown[] = []
    const { queueMicrotask } = globalThis
    vi.stubGlobal('queueMicrotask', (work: () => void) =>
      queueMicrotask(() => {
        try {
          work()
        } catch (error) {
          uncaught.push(error)
        }
      }),
    )
    const server = startServer()
    const storage = memoryStorage()
    const { chat } = await startChat(server, { storage })
    const told: number[] = []
    chat.onMessage(() => {
      throw new Error('of the application')
    })
    chat.onMessage(({ seq }) => told.push(seq))
    await server.hear(1)
    await server.hear(2)
    expect(told).toEqual([1, 2])
    expect(await keptIn(storage)).toMatchObject({ 'position:dm_1': 2 })
    expect(chat.connection.get().state).toBe('online')
    expect(uncaught).toEqual([new Error('of the application'), new Error('of the application')])
  })

  it('sees the connection come and go', async () => {
    const server = startServer()
    const states: string[] = []
    const chat = createChat({
      url: 'http://chat/graphql',
      userId: 'alice',
      token: () => 't',
      storage: memoryStorage(),
      transports: ['sse'],
      fetch: server.fetch,
      random: () => 0,
    })
    onTestFinished(() => chat.close())
    chat.connection.subscribe(() => states.push(chat.connection.get().state))
    expect(chat.connection.get().state).toBe('connecting')
    await turns()
    await pass(10_000)
    await latest(server.streams, 'MessageAdded').cut()
    await pass(250)
    await chat.close()
    expect(states).toEqual([
      'connecting',
      'syncing',
      'online',
      'connecting',
      'connecting',
      'syncing',
      'online',
      'offline',
    ])
  })

  it('provides another token when one is refused', async () => {
    const server = startServer()
    server.answers.Conversations = () =>
      server.calls.at(-1)?.token === 'Bearer t1' ? refused('UNAUTHENTICATED') : list([chatAt(0)])
    const reasons: boolean[] = []
    const { chat } = await startChat(server, {
      token: ({ refused: again }) => {
        reasons.push(again)
        return `t${reasons.length}`
      },
    })
    expect(reasons).toEqual([false, true])
    expect(chat.connection.get().state).toBe('online')
  })

  it('whose tokens are refused for a while loses neither its messages nor its changes', async () => {
    const server = startServer()
    const unlessRefused = (answer: () => unknown) => () =>
      ['Bearer t1', 'Bearer t2'].includes(server.calls.at(-1)?.token ?? '') ? refused('UNAUTHENTICATED') : answer()
    server.answers.SendMessage = unlessRefused(() => stored(message(1, { from: 'alice', clientMessageId: 'id1' })))
    server.answers.EditMessage = unlessRefused(() => ({ editMessage: { message: message(1, { body: 'dear m1' }) } }))
    let tokens = 0
    const { chat } = await startChat(server, { token: () => `t${++tokens}` })
    chat.send(chatId, 'hi')
    const edited = chat.edit('dm_1', 1, 'dear m1')
    await turns()
    expect(chat.outbox.get()).toMatchObject([{ state: 'waiting' }])
    await pass(250)
    expect(chat.outbox.get()).toMatchObject([{ state: 'sent' }])
    await edited
  })
})

describe('a message that is sent', () => {
  const own = (seq: number, id = 'id1') => ({ from: 'alice', clientMessageId: id, body: 'hi', seq })

  it('is gone from the outbox when the inbox has brought it, and is told once', async () => {
    const server = startServer({ SendMessage: () => stored(message(1, own(1))) })
    const { chat, told } = await startChat(server)
    chat.send(chatId, 'hi')
    await turns()
    expect(chat.outbox.get()).toMatchObject([{ state: 'sent' }])
    await server.hear(1, own(1))
    expect(chat.outbox.get()).toEqual([])
    await server.hear(1, own(1))
    expect(told).toEqual(['1 hi'])
  })

  it('tells the chat with a person, which is looked at from then on', async () => {
    const server = startServer({
      Conversations: () => list([]),
      Conversation: () => ({ conversation: chatAt(1) }),
      Messages: () => page([message(1, own(1))]),
      SendMessage: () => stored(message(1, own(1))),
    })
    const { chat } = await startChat(server)
    const timeline = chat.messages(bob)
    onTestFinished(timeline.subscribe(() => undefined))
    chat.send(bob, 'hi')
    await turns()
    expect(timeline.get()).toMatchObject({ conversationId: 'dm_1', entries: [{ key: 'id1', type: 'message' }] })
  })

  describe('in a group its sender is taken out of', () => {
    const ofGroup = (seq: number, id = 'id1') => message(seq, { ...own(seq, id), conversationId: 'grp_1' })
    const group = conversation({ id: 'grp_1', kind: 'GROUP' })
    const sendInto = async (answers: Parameters<typeof startServer>[0]) => {
      const server = startServer({ Conversations: () => list([group]), ...answers })
      const { chat } = await startChat(server)
      chat.send({ conversationId: 'grp_1' }, 'hi')
      return { server, chat }
    }

    it('has its end when the stream is silent and the group turns out to be gone', async () => {
      const { server, chat } = await sendInto({
        Conversation: () => ({ conversation: null }),
        SendMessage: () => stored(ofGroup(1)),
      })
      await turns()
      expect(chat.outbox.get()).toMatchObject([{ state: 'sent' }])
      await pass(30_000)
      expect(chat.outbox.get()).toEqual([])
      await pass(300_000)
      expect(server.asked('Conversation')).toEqual([{ id: 'grp_1' }])
    })

    it('has its end when the group is gone before the answer comes', async () => {
      const answer = deferred<unknown>()
      const { chat } = await sendInto({
        Conversation: () => ({ conversation: null }),
        SendMessage: () => answer.promise,
        MarkRead: () => refused('NOT_FOUND'),
      })
      chat.markRead('grp_1', 1)
      await turns()
      await pass(1000)
      expect(chat.conversations.get().conversations).toEqual([])
      answer.resolve(stored(ofGroup(1)))
      await turns()
      expect(chat.outbox.get()).toEqual([])
    })

    it('has its end when they are back, and it is not theirs to see', async () => {
      const { server, chat } = await sendInto({
        Conversation: () => ({ conversation: group }),
        SendMessage: () => stored(ofGroup(2)),
        StillThere: () => notNow,
      })
      await turns()
      await pass(30_000)
      expect(chat.outbox.get()).toMatchObject([{ state: 'sent' }])
      server.answers.StillThere = () => ({ nodes: [null] })
      await pass(30_000)
      expect(new Set(server.asked('StillThere').map(({ ids }) => String(ids)))).toEqual(new Set([ofGroup(2).id]))
      expect(chat.outbox.get()).toEqual([])
    })

    it('has its end when they are back, also where nothing is pushed', async () => {
      const server = startServer({
        Conversations: () => list([group]),
        SendMessage: () => stored(ofGroup(2)),
        StillThere: () => ({ nodes: [null] }),
      })
      const { chat } = await startChat(server, { transports: ['polling'] })
      chat.send({ conversationId: 'grp_1' }, 'hi')
      await turns()
      await pass(10_000)
      expect(chat.outbox.get()).toEqual([])
    })

    it('stays until the stream brings it, where it is only late', async () => {
      const { server, chat } = await sendInto({
        Conversation: () => ({ conversation: group }),
        SendMessage: () => stored(ofGroup(2)),
        StillThere: () => ({ nodes: [{ id: ofGroup(2).id }] }),
      })
      await turns()
      await pass(60_000)
      expect(chat.outbox.get()).toMatchObject([{ state: 'sent' }])
      await server.hear(2, { ...own(2), conversationId: 'grp_1' }, 0)
      expect(chat.outbox.get()).toEqual([])
    })

    it('has its end when they are back, and what comes is above it', async () => {
      const { server, chat } = await sendInto({
        Conversation: () => ({ conversation: group }),
        SendMessage: () => stored(ofGroup(2)),
        StillThere: () => notNow,
      })
      await turns()
      await pass(60_000)
      expect(chat.outbox.get()).toMatchObject([{ state: 'sent' }])
      await server.hear(5, { conversationId: 'grp_1' }, 0)
      expect(chat.outbox.get()).toEqual([])
    })
  })

  it('is looked for at once where nothing is pushed', async () => {
    const server = startServer({ SendMessage: () => stored(message(1, own(1))) })
    const { chat, told } = await startChat(server, { transports: ['polling'] })
    server.answers.Conversations = () => list([chatAt(1)])
    server.answers.Messages = () => page([message(1, own(1))])
    chat.send(chatId, 'hi')
    await turns()
    expect(told).toEqual(['1 hi'])
    expect(chat.outbox.get()).toEqual([])
  })

  it('from a new device, which begins above it, does not stay on its way for ever', async () => {
    const ticks = [boundary('alice', 6, 6), boundary('bob', 6, 6)]
    const head = deferred<unknown>()
    const server = startServer({ Conversations: () => head.promise, SendMessage: () => stored(message(5, own(5))) })
    const { chat } = await startChat(server)
    chat.send(chatId, 'hi')
    await turns()
    expect(chat.outbox.get()).toMatchObject([{ state: 'sent' }])
    // Bob has answered meanwhile, and another device of alice has read it.
    head.resolve(list([chatAt(6, { ticks })]))
    await turns()
    expect(chat.connection.get().state).toBe('online')
    expect(chat.outbox.get()).toEqual([])
  })
})

describe('a new device', () => {
  it('shows no hole between what it read before it knew where it begins, and what comes then', async () => {
    const head = deferred<unknown>()
    const log = [1, 2]
    const server = startServer({
      Conversations: () => head.promise,
      Messages: () => page(log.map((seq) => message(seq))),
    })
    const { chat } = await startChat(server)
    const shown = () =>
      chat
        .messages(chatId)
        .get()
        .entries.map(({ key }) => key)
    onTestFinished(chat.messages(chatId).subscribe(() => undefined))
    await turns()
    expect(shown()).toEqual([1, 2].map((seq) => message(seq).id))
    // Bob has written more, which another device of alice has acked: the stream begins above it.
    log.push(3, 4)
    head.resolve(list([chatAt(4, { ticks: [boundary('alice', 4), boundary('bob', 4)] })]))
    await turns()
    expect(latest(server.streams, 'MessageAdded').variables).toEqual({ after: [{ conversationId: 'dm_1', seq: 4 }] })
    log.push(5)
    await server.hear(5)
    expect(shown()).toEqual(log.map((seq) => message(seq).id))
  })
})

describe('what could not be told for long', () => {
  it('is told at once when there is a way again', async () => {
    const server = startServer({ SendMessage: () => notNow, Ack: () => notNow })
    const { chat } = await startChat(server)
    await server.hear(1)
    chat.send(chatId, 'hi')
    await pass(120_000)
    const before = server.calls.length
    await latest(server.streams, 'MessageAdded').cut()
    await pass(250)
    const since = server.calls.slice(before).map(({ name }) => name)
    expect(since).toEqual(expect.arrayContaining(['SendMessage', 'Ack']))
  })
})

describe('a reload', () => {
  it('goes on where the device was: what was unsent goes out, and the stream goes on', async () => {
    const server = startServer({ SendMessage: () => notNow })
    const storage = memoryStorage()
    const first = await startChat(server, { storage })
    await server.hear(1)
    first.chat.send(chatId, 'hi')
    first.chat.markRead('dm_1', 1)
    await turns()
    await first.chat.close()
    const before = server.calls.length

    server.answers.SendMessage = ({ input }) =>
      stored(message(2, { from: 'alice', clientMessageId: input.clientMessageId }))
    const second = await startChat(server, { storage })
    await pass(200)
    const later = server.calls.slice(before)
    expect(latest(server.streams, 'MessageAdded').variables).toEqual({ after: [{ conversationId: 'dm_1', seq: 1 }] })
    expect(later.filter(({ name }) => name === 'SendMessage').map(({ variables }) => variables.input)).toEqual([
      { clientMessageId: 'id1', to: chatId, body: 'hi' },
    ])
    expect(later.filter(({ name }) => name === 'MarkRead').map(({ variables }) => variables.input.seq)).toEqual([1])
    await server.hear(1)
    expect(second.told).toEqual([])
  })
})

describe('read', () => {
  it('is the application’s to say: at once in the list, and to the server', async () => {
    const server = startServer()
    const { chat } = await startChat(server)
    await server.hear(1)
    await server.hear(2)
    expect(chat.conversations.get().conversations).toMatchObject([{ unreadCount: 2 }])
    await pass(60_000)
    expect(server.asked('MarkRead')).toEqual([])
    chat.markRead('dm_1', 2)
    expect(chat.conversations.get().conversations).toMatchObject([{ unreadCount: 0 }])
    await pass(200)
    expect(server.asked('MarkRead')).toEqual([{ input: { conversationId: 'dm_1', seq: 2 } }])
  })

  it('below the last message is counted by the server, and the list shows it when it is read again', async () => {
    const server = startServer()
    const { chat } = await startChat(server)
    await server.hear(1)
    await server.hear(2)
    chat.markRead('dm_1', 1)
    expect(chat.conversations.get().conversations).toMatchObject([{ unreadCount: 2 }])
    server.answers.Conversations = () => list([chatAt(2, { unreadCount: 1 })])
    await pass(3000)
    expect(chat.conversations.get().conversations).toMatchObject([{ unreadCount: 1 }])
    expect(server.asked('Conversation')).toEqual([])
  })
})

describe('ticks', () => {
  it('follow the boundaries; over a link that is narrow, those of the list, which is read again and again', async () => {
    const server = startServer()
    const { chat } = await startChat(server)
    const ticks = chat.ticks(bob)
    const told = vi.fn()
    onTestFinished(ticks.subscribe(told))
    expect(ticks.get().tickOf(1)).toBe('SENT')
    told.mockClear()
    server.answers.Conversations = () => list([chatAt(0, { ticks: [boundary('alice', 0), boundary('bob', 2, 1)] })])
    await pass(3000)
    expect(told).toHaveBeenCalledTimes(1)
    expect([1, 2, 3].map((seq) => ticks.get().tickOf(seq))).toEqual(['READ', 'DELIVERED', 'SENT'])
    expect(chat.conversations.get().conversations[0]?.ticks).toContainEqual(boundary('bob', 2, 1))
  })

  it('never show more than was reached while a conversation becomes known', async () => {
    const head = deferred<unknown>()
    const server = startServer({ Conversations: () => head.promise })
    const { chat } = await startChat(server)
    const ticks = chat.ticks(chatId)
    const seen: string[] = []
    onTestFinished(ticks.subscribe(() => seen.push(ticks.get().tickOf(1))))
    head.resolve(
      list([chatAt(1, { ticks: [boundary('alice', 1, 1), boundary('bob', 1, 0), boundary('carol', 0, 0)] })]),
    )
    await turns()
    expect(new Set(seen)).toEqual(new Set(['SENT']))
  })

  it('of a person are those of the chat with them, as soon as it is known', async () => {
    const head = deferred<unknown>()
    const server = startServer({ Conversations: () => head.promise })
    const { chat } = await startChat(server)
    const ticks = chat.ticks(bob)
    const told = vi.fn()
    onTestFinished(ticks.subscribe(told))
    expect(ticks.get().tickOf(1)).toBe('SENT')
    head.resolve(list([chatAt(1, { ticks: [boundary('alice', 1), boundary('bob', 1)] })]))
    await turns()
    expect(told).toHaveBeenCalled()
    expect(ticks.get().tickOf(1)).toBe('DELIVERED')
  })
})

describe('a message that is changed', () => {
  const edited = (seq: number, body: string) => ({ ...message(seq), body, editedAt: '2026-01-02T00:00:00.000Z' })

  it('is shown as it is now, in its conversation, in the list, and where it is quoted', async () => {
    const reply = { ...message(2), replyTo: { seq: 1, sender: { id: 'bob', name: null }, body: 'm1', deletedAt: null } }
    const server = startServer({
      Conversations: () => list([chatAt(2, { lastMessage: reply })]),
      Messages: () => page([message(1), reply]),
    })
    const { chat } = await startChat(server)
    onTestFinished(chat.messages(chatId).subscribe(() => undefined))
    const changed: string[] = []
    chat.onMessageChanged(({ seq, body }) => changed.push(`${seq} ${body}`))
    await turns()
    const stream = latest(server.streams, 'MessageChanged')
    await stream.say({ messageChanged: { message: edited(1, 'eins'), seq: 3, previousSeq: 0, catchUp: false } })
    await stream.say({ messageChanged: { message: edited(1, 'eins'), seq: 3, previousSeq: 0, catchUp: false } })
    const shown = chat.messages(chatId).get().entries
    expect(shown).toMatchObject([
      { message: { seq: 1, body: 'eins' } },
      { message: { seq: 2, body: 'm2', replyTo: { body: 'eins' } } },
    ])
    await stream.say({ messageChanged: { message: edited(2, 'zwei'), seq: 4, previousSeq: 3, catchUp: false } })
    expect(chat.conversations.get().conversations[0]?.lastMessage?.body).toBe('zwei')
    expect(changed).toEqual(['1 eins', '2 zwei'])
  })

  it('while its page is on its way is not shown as it was', async () => {
    const head = deferred<unknown>()
    const server = startServer({ Messages: () => head.promise })
    const { chat } = await startChat(server)
    onTestFinished(chat.messages(chatId).subscribe(() => undefined))
    await turns()
    await latest(server.streams, 'MessageChanged').say({
      messageChanged: { message: edited(1, 'eins'), seq: 2, previousSeq: 0, catchUp: false },
    })
    head.resolve(page([message(1)]))
    await turns()
    expect(chat.messages(chatId).get().entries).toMatchObject([{ message: { body: 'eins' } }])
  })

  it('is asked for after what the device holds, also after a reload', async () => {
    const storage = memoryStorage()
    const server = startServer({ Conversations: () => list([chatAt(1)]) })
    const first = await startChat(server, { storage })
    await server.hear(1)
    await latest(server.streams, 'MessageChanged').say({
      messageChanged: { message: edited(1, 'eins'), seq: 2, previousSeq: 0, catchUp: false },
    })
    await server.hear(3)
    await first.chat.close()
    await startChat(server, { storage })
    expect(latest(server.streams, 'MessageChanged').variables).toEqual({ after: [{ conversationId: 'dm_1', seq: 2 }] })
  })

  it('by the user is asked for with one id until it is answered, and shown', async () => {
    const server = startServer({ Messages: () => page([message(1)]) })
    const ids: string[] = []
    server.answers.EditMessage = ({ input }) => {
      ids.push(input.clientMessageId)
      return ids.length < 3 ? busy() : { editMessage: { message: edited(1, input.body) } }
    }
    const { chat } = await startChat(server)
    onTestFinished(chat.messages(chatId).subscribe(() => undefined))
    await turns()
    const done = chat.edit('dm_1', 1, 'eins')
    await pass(2000)
    await done
    expect(new Set(ids).size).toBe(1)
    expect(ids).toHaveLength(3)
    expect(chat.messages(chatId).get().entries).toMatchObject([{ message: { body: 'eins' } }])
  })

  it('by the user and refused for good says why', async () => {
    const server = startServer({ React: () => refused('BAD_USER_INPUT', 'This message was deleted.') })
    const { chat } = await startChat(server)
    await expect(chat.react('dm_1', 1, '👍', true)).rejects.toMatchObject({ message: 'This message was deleted.' })
  })
})

describe('a server that has never seen us', () => {
  it('makes us a new device to it', async () => {
    const storage = memoryStorage()
    await storage.write(new Map(Object.entries({ device: true, 'position:dm_1': 50, 'position:dm_old': 3 })))
    const server = startServer({
      Conversations: () => list([chatAt(2, { ticks: [boundary('alice', 1), boundary('bob', 0)] })]),
      'stream MessageAdded': ({ after }) =>
        after.some(({ seq }: { seq: number }) => seq > 2) ? refused('SEQ_OUT_OF_RANGE') : undefined,
    })
    const { chat, told } = await startChat(server, { storage })
    expect(chat.connection.get()).toMatchObject({ state: 'offline', error: { code: 'SEQ_OUT_OF_RANGE' } })
    await pass(250)
    expect(latest(server.streams, 'MessageAdded').variables).toEqual({ after: [{ conversationId: 'dm_1', seq: 1 }] })
    await server.hear(2)
    expect(told).toEqual(['2 m2'])
    expect(chat.connection.get().state).toBe('online')
    await pass(1)
    expect(await keptIn(storage)).toEqual({ device: true, 'position:dm_1': 2, 'changed:dm_1': 1 })
  })

  it('does not leave on its way for ever what the one before it has stored', async () => {
    const server = startServer({ SendMessage: () => stored(message(60, { from: 'alice', clientMessageId: 'id1' })) })
    const { chat } = await startChat(server)
    chat.send(chatId, 'hi')
    await turns()
    expect(chat.outbox.get()).toMatchObject([{ state: 'sent' }])
    server.answers['stream MessageAdded'] = ({ after }) =>
      server.calls.filter(({ name }) => name === 'MessageAdded').length === 2 && after
        ? refused('SEQ_OUT_OF_RANGE')
        : undefined
    await latest(server.streams, 'MessageAdded').cut()
    await pass(1000)
    expect(chat.connection.get().state).toBe('online')
    expect(chat.outbox.get()).toEqual([])
  })
})

describe('when it is closed', () => {
  async function expectClosed(server: Server, closing: Promise<void>): Promise<void> {
    await turns()
    expect(await isDone(closing)).toBe(true)
    expectNoTimers()
    expect(server.streams.every(({ over }) => over)).toBe(true)
    const before = server.calls.length
    await pass(120_000)
    expect(server.calls).toHaveLength(before)
  }

  it('at once, nothing was begun or it is over', async () => {
    const server = startServer()
    const chat = createChat({
      url: 'http://chat/graphql',
      userId: 'alice',
      token: () => 't',
      storage: memoryStorage(),
      transports: ['sse', 'polling'],
      fetch: server.fetch,
    })
    await expectClosed(server, chat.close())
    expect(chat.connection.get()).toEqual({ state: 'offline' })
  })

  it('while a new device reads its list, no stream is begun', async () => {
    const head = deferred<unknown>()
    const server = startServer({ Conversations: () => head.promise })
    const { chat } = await startChat(server)
    const closing = chat.close()
    head.resolve(list([chatAt(1)]))
    await expectClosed(server, closing)
    expect(server.asked('MessageAdded')).toEqual([])
  })

  it('while online with everything under way, everything is let go of', async () => {
    const server = startServer({
      SendMessage: () => notNow,
      MarkRead: () => notNow,
      Messages: () => notNow,
    })
    const { chat } = await startChat(server, { transports: ['websocket', 'sse'] })
    await pass(5000)
    await server.hear(1)
    await server.hear(4)
    await server.hear(6)
    chat.send(chatId, 'hi')
    chat.markRead('dm_1', 1)
    onTestFinished(chat.ticks(chatId).subscribe(() => undefined))
    onTestFinished(chat.messages(chatId).subscribe(() => undefined))
    await pass(200)
    expect(vi.getTimerCount()).toBeGreaterThan(0)
    await expectClosed(server, chat.close())
  })

  it('what comes late is neither told nor kept', async () => {
    const log = deferred<unknown>()
    const answer = deferred<unknown>()
    const storage = memoryStorage()
    const server = startServer({ Messages: () => log.promise, SendMessage: () => answer.promise })
    const { chat, told } = await startChat(server, { storage })
    await server.hear(3)
    chat.send(chatId, 'hi')
    await turns()
    await chat.close()
    const kept = await keptIn(storage)
    log.resolve(page([1, 2, 3].map((seq) => message(seq))))
    answer.resolve(stored(message(4, { from: 'alice', clientMessageId: 'id1' })))
    await turns()
    expect(told).toEqual([])
    expect(await keptIn(storage)).toEqual(kept)
    expect(kept).toMatchObject({ 'outbox:id1': { state: 'waiting' } })
    expectNoTimers()
  })
})
