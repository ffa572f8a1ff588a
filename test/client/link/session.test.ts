import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Link } from '../../../packages/client/src/link/link.ts'
import { createSession } from '../../../packages/client/src/link/session.ts'
import { ClientError, networkError } from '../../../packages/client/src/shared/client-error.ts'
import { createChanges } from '../../../packages/client/src/state/changes.ts'
import { createConversations } from '../../../packages/client/src/state/conversations.ts'
import { createInbox } from '../../../packages/client/src/state/inbox.ts'
import { createTicks } from '../../../packages/client/src/state/ticks.ts'
import { createTyping } from '../../../packages/client/src/state/typing.ts'
import {
  boundary,
  conversation,
  event,
  expectNoTimers,
  isDone,
  list,
  message,
  nameOf,
  page,
  persistedStateOver,
  refused,
  retrying,
  scriptedAsk,
  settled,
} from '../kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Stream = {
  name: string
  variables: unknown
  stopped: boolean
  event(data: unknown): void
  end(error?: ClientError): void
}

const pollEveryMs = 3000

type Started = { at?: number; positions?: Record<string, number>; pushes?: boolean; fewStreams?: boolean }

/** The session between a link of the test's, and an inbox, a list and ticks as they are. `at`: the position in dm_1. */
function start({
  at,
  positions = at === undefined ? {} : { dm_1: at },
  pushes = true,
  fewStreams = false,
}: Started = {}) {
  const asks = scriptedAsk()
  const streams: Stream[] = []
  const told: number[] = []
  const { ask } = asks
  const { retryUntilAnswered } = retrying()
  const inbox = createInbox({
    ask,
    persistedState: persistedStateOver(),
    random: () => 0,
    onMessage: ({ seq }) => void told.push(seq),
  })
  const conversations = createConversations({ ask, retryUntilAnswered, userId: 'alice', readUpTo: () => 0 })
  const ticks = createTicks('alice')
  const typing = createTyping(ask, Date.now)
  const changed: string[] = []
  const changes = createChanges({
    ask,
    persistedState: persistedStateOver(),
    retryUntilAnswered,
    messagePositions: inbox.positions,
    onChanged: ({ seq, body }) => void changed.push(`${seq} ${body}`),
  })
  const kept = Object.entries(positions)
  if (kept.length > 0) {
    inbox.restore([['device', true], ...kept.map(([id, seq]): [string, number] => [`position:${id}`, seq])])
  }
  const gone: string[] = []
  conversations.onGone((id) => {
    gone.push(id)
    inbox.forget(id)
    changes.forget(id)
  })
  const onLink = vi.fn()
  const onBegin = vi.fn()
  const onUnknownServer = vi.fn()
  const {
    session,
    poll,
    addLinkListener: attach,
  } = createSession({
    userId: 'alice',
    pollEveryMs,
    inbox,
    conversations,
    ticks,
    changes,
    typing,
    verifySent: () => undefined,
    onLink,
    onBegin,
    onUnknownServer,
  })
  const link: Link = {
    via: pushes ? (fewStreams ? 'sse' : 'websocket') : 'polling',
    fewStreams,
    ask,
    ...(pushes && {
      follow(document, variables, sink) {
        const stream: Stream = {
          name: nameOf(document),
          variables,
          stopped: false,
          event: (data) => sink.event(data as never),
          end: (error = networkError('Cut.')) => sink.end(error),
        }
        streams.push(stream)
        return () => {
          stream.stopped = true
        }
      },
    }),
    gone: new Promise(() => undefined),
    close: () => undefined,
  }
  const online = vi.fn()
  const over = new AbortController()
  const early = vi.fn(() => stopped)
  const stopped = vi.fn()
  attach(early)
  const ended = session(link, online, over.signal)
  const streamOf = (name: string): Stream => {
    const found = streams.findLast((each) => each.name === name)
    if (!found) throw new Error(`Nobody follows ${name}.`)
    return found
  }
  return {
    ...asks,
    streams,
    streamOf,
    told,
    inbox,
    conversations,
    ticks,
    changes,
    changed,
    typing,
    onLink,
    onUnknownServer,
    poll,
    attach,
    early,
    stopped,
    gone,
    online,
    over,
    ended,
    hear: (seq: number, id = 'dm_1') =>
      streamOf('MessageAdded').event({ messageAdded: event(message(seq, { conversationId: id })) }),
  }
}

const chatAt = (seq: number, shape: Parameters<typeof conversation>[0] = {}) =>
  conversation({ ...shape, lastMessage: message(seq, { conversationId: shape.id ?? 'dm_1' }) })

describe('a device that has positions', () => {
  it('follows from them at once, and reads the list beside it', async () => {
    const { streams, all, onLink } = start({ at: 4 })
    expect(onLink).toHaveBeenCalledTimes(1)
    expect(streams).toMatchObject([
      { name: 'MessageAdded', variables: { after: [{ conversationId: 'dm_1', seq: 4 }] } },
      { name: 'MessageChanged', variables: { after: [{ conversationId: 'dm_1', seq: 4 }] } },
      { name: 'ConversationUpdated', variables: {} },
      { name: 'TicksChanged', variables: {} },
    ])
    expect(all.map(({ name }) => name)).toEqual(['Conversations'])
  })

  it('is online when everything the list shows was told, and not before', async () => {
    const { answer, online, hear, told } = start({ at: 4 })
    hear(5)
    await answer(list([chatAt(6)]))
    expect(online).not.toHaveBeenCalled()
    hear(6)
    await settled()
    expect(online).toHaveBeenCalledTimes(1)
    expect(told).toEqual([5, 6])
  })

  it('is online at once when there is nothing new, or nothing at all', async () => {
    const { answer, online } = start({ at: 4 })
    await answer(list([chatAt(4), conversation({ id: 'grp_empty' })]))
    expect(online).toHaveBeenCalledTimes(1)
  })

  it('reads what the stream was not asked for, and is online after that', async () => {
    const { answer, all, online, told } = start({ at: 4 })
    await answer(list([chatAt(4), chatAt(2, { id: 'grp_new' })]))
    expect(all.at(-1)).toMatchObject({ name: 'Messages', variables: { conversationId: 'grp_new' } })
    expect(online).not.toHaveBeenCalled()
    await answer(page([1, 2].map((seq) => message(seq, { conversationId: 'grp_new' }))))
    expect(told).toEqual([1, 2])
    expect(online).toHaveBeenCalledTimes(1)
  })

  it('is online although the log shows less than the list', async () => {
    const { answer, online } = start({ at: 4 })
    await answer(list([chatAt(4), chatAt(2, { id: 'grp_new' })]))
    await answer(page([]), 'Messages')
    expect(online).toHaveBeenCalledTimes(1)
  })

  it('reads the list on as long as it shows what it does not know', async () => {
    const { answer, open, online } = start({ at: 4 })
    await answer(list([conversation({ id: 'grp_1' }), conversation()], true))
    expect(open).toMatchObject([{ name: 'Conversations', variables: { after: 'at dm_1' } }])
    await answer(list([conversation()], true))
    expect(open).toHaveLength(0)
    expect(online).toHaveBeenCalledTimes(1)
  })

  it('hears boundaries, of all conversations and of those somebody looks at', async () => {
    const { ticks, streamOf, streams } = start({ at: 4 })
    streamOf('TicksChanged').event({ ticksChanged: boundary('bob', 3, 1) })
    expect(ticks.of('dm_1')).toEqual([boundary('bob', 3, 1)])
    const unwatch = ticks.watched.watch('dm_1')
    expect(streams.at(-1)).toMatchObject({ name: 'TicksChanged', variables: { conversationId: 'dm_1' } })
    streams.at(-1)?.event({ ticksChanged: boundary('bob', 4, 4) })
    expect(ticks.of('dm_1')).toEqual([boundary('bob', 4, 4)])
    unwatch()
    expect(streams.at(-1)?.stopped).toBe(true)
    expect(streams.slice(0, 2).map(({ stopped }) => stopped)).toEqual([false, false])
  })

  it('goes on when a conversation somebody looks at cannot be followed', async () => {
    const { ticks, streams, ended } = start({ at: 4 })
    ticks.watched.watch('dm_1')
    streams.at(-1)?.end(refused('NOT_FOUND'))
    expect(await isDone(ended)).toBe(false)
    const before = streams.length
    ticks.watched.watch('dm_2')
    expect(streams.slice(before).map(({ variables }) => variables)).toEqual(
      expect.arrayContaining([{ conversationId: 'dm_2' }]),
    )
  })
})

describe('a new device', () => {
  it('reads the whole list first, and follows from where the user’s other devices are', async () => {
    const { answer, streams, inbox } = start()
    expect(streams).toHaveLength(0)
    await answer(list([chatAt(9, { ticks: [boundary('alice', 7, 5), boundary('bob', 9)] })], true))
    expect(streams).toHaveLength(0)
    await answer(list([chatAt(3, { id: 'grp_1', ticks: [] })]))
    expect(streams[0]?.variables).toEqual({
      after: [
        { conversationId: 'dm_1', seq: 7 },
        { conversationId: 'grp_1', seq: 0 },
      ],
    })
    expect(inbox.isNew()).toBe(false)
  })

  it('whose list cannot be read is no wiser, and follows nothing', async () => {
    const { fail, ended, streams, inbox } = start()
    await fail(refused('UNAVAILABLE'))
    expect(await ended).toMatchObject({ code: 'UNAVAILABLE' })
    expect(streams).toHaveLength(0)
    expect(inbox.isNew()).toBe(true)
  })

  it('whose link has gone while it read the list follows nothing', async () => {
    const { answer, streams, over, ended, ticks } = start()
    over.abort()
    await answer(list([chatAt(9)]))
    expect(streams).toHaveLength(0)
    expect(await isDone(ended)).toBe(true)
    ticks.watched.watch('dm_1')
    expect(streams).toHaveLength(0)
  })
})

describe('a session', () => {
  it.each(['MessageAdded', 'MessageChanged', 'ConversationUpdated', 'TicksChanged'])(
    'ends when its stream %s ends, and stops the others',
    async (name) => {
      const { streamOf, streams, ended, ticks } = start({ at: 4 })
      ticks.watched.watch('dm_1')
      streams.find((each) => each.name === name)?.end(networkError('Cut.'))
      expect(await ended).toMatchObject({ code: 'NETWORK', message: 'Cut.' })
      expect(streams.every(({ stopped }) => stopped)).toBe(true)
      expect(streamOf('TicksChanged').stopped).toBe(true)
      ticks.watched.watch('dm_2')
      expect(streams).toHaveLength(5)
    },
  )

  it('goes on when the server ends the stream of changes alone, and resumes that one after a while', async () => {
    const { streams, streamOf, ended, changed } = start({ at: 4 })
    const opened = () => streams.filter(({ name }) => name === 'MessageChanged').length
    const broken = new ClientError('Broken.', { code: 'INTERNAL', retryable: true })
    streamOf('MessageChanged').end(broken)
    expect(opened()).toBe(1)
    await vi.advanceTimersByTimeAsync(5000)
    expect(opened()).toBe(2)
    streamOf('MessageChanged').end(broken)
    await vi.advanceTimersByTimeAsync(4000)
    expect(opened()).toBe(2)
    await vi.advanceTimersByTimeAsync(1000)
    expect(streamOf('MessageChanged').variables).toEqual({ after: [{ conversationId: 'dm_1', seq: 4 }] })
    const edited = { ...message(3), body: 'drei' }
    streamOf('MessageChanged').event({ messageChanged: { message: edited, seq: 5, previousSeq: 0, catchUp: true } })
    expect(changed).toEqual(['3 drei'])
    expect(await isDone(ended)).toBe(false)
    expect(streams.filter(({ name }) => name === 'MessageAdded')).toHaveLength(1)
    streamOf('MessageChanged').end(broken)
    streamOf('MessageAdded').end()
    expect(await ended).toMatchObject({ code: 'NETWORK' })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(opened()).toBe(3)
  })

  it('ends when the list cannot be read', async () => {
    const { fail, streams, ended, online } = start({ at: 4 })
    await fail(networkError('Nobody there.'))
    expect(await ended).toMatchObject({ code: 'NETWORK' })
    expect(streams.every(({ stopped }) => stopped)).toBe(true)
    expect(online).not.toHaveBeenCalled()
  })

  it('ends when what the stream was not asked for cannot be read', async () => {
    const { answer, fail, ended } = start({ at: 4 })
    await answer(list([chatAt(2, { id: 'grp_new' })]))
    await fail(networkError('Nobody there.'), 'Messages')
    expect(await ended).toMatchObject({ code: 'NETWORK' })
  })

  it('whose link has gone stops its streams', async () => {
    const { over, streams, ticks } = start({ at: 4 })
    ticks.watched.watch('dm_1')
    over.abort()
    expect(streams.map(({ stopped }) => stopped)).toEqual([true, true, true, true, true])
    ticks.watched.watch('dm_2')
    expect(streams).toHaveLength(5)
  })

  it('whose server has never had as much as our positions say has everything forgotten', async () => {
    const { streamOf, onUnknownServer, ended } = start({ at: 4 })
    streamOf('MessageAdded').end(refused('SEQ_OUT_OF_RANGE'))
    expect(onUnknownServer).toHaveBeenCalledTimes(1)
    expect(await ended).toMatchObject({ code: 'SEQ_OUT_OF_RANGE' })
  })

  it('that ends for any other reason has nothing forgotten', async () => {
    const { streamOf, streams, onUnknownServer, ended } = start({ at: 4 })
    streams[1]?.end(refused('NOT_FOUND'))
    streamOf('MessageAdded').end(refused('UNAUTHENTICATED'))
    await ended
    expect(onUnknownServer).not.toHaveBeenCalled()
  })
})

const group = (seq: number, id = 'grp_1') => chatAt(seq, { id, kind: 'GROUP' })

/** What the server answers when it is asked which of our conversations are there. */
const there = (...ids: (string | null)[]) => ({ nodes: ids.map((id) => id && { __typename: 'Conversation', id }) })

describe('a group left while the device was away', () => {
  const away = { positions: { dm_1: 4, grp_1: 7, grp_2: 2 } }

  it('is asked for when the list does not show it; it is dropped, it alone, and the streams go on', async () => {
    const { streams, answer, open, gone, onUnknownServer, ended, inbox, online } = start(away)
    await answer(list([chatAt(4), group(2, 'grp_2')]))
    expect(open).toMatchObject([{ name: 'StillThere', variables: { ids: ['grp_1'] } }])
    await answer(there(null))
    expect(gone).toEqual(['grp_1'])
    expect(inbox.knows('grp_1')).toBe(false)
    expect(onUnknownServer).not.toHaveBeenCalled()
    expect(online).toHaveBeenCalledTimes(1)
    expect(await isDone(ended)).toBe(false)
    expect(streams.map(({ stopped }) => stopped)).toEqual([false, false, false, false])
  })

  it('is one of several: all are asked for at once', async () => {
    const { answer, open, gone } = start(away)
    await answer(list([chatAt(4)]))
    expect(open).toMatchObject([{ variables: { ids: ['grp_1', 'grp_2'] } }])
    await answer(there(null, 'grp_2'))
    expect(gone).toEqual(['grp_1'])
  })

  it('is not dropped because it is further down the list', async () => {
    const { answer, gone, online, open } = start(away)
    await answer(list([chatAt(4)], true))
    await answer(there('grp_1', 'grp_2'))
    expect(gone).toEqual([])
    expect(online).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(120_000)
    expect(open).toEqual([])
  })

  it('is not asked for where the list shows everything', async () => {
    const { answer, open } = start(away)
    await answer(list([chatAt(4), group(7), group(2, 'grp_2')]))
    expect(open).toEqual([])
  })

  it('is told from another server, which knows none of our conversations', async () => {
    const { answer, open, gone, onUnknownServer, ended, inbox } = start(away)
    await answer(list([chatAt(1, { id: 'dm_new' })]))
    await answer(page([message(1, { conversationId: 'dm_new' })]), 'Messages')
    expect(inbox.knows('dm_new')).toBe(true)
    expect(open).toMatchObject([{ variables: { ids: ['dm_1', 'grp_1', 'grp_2'] } }])
    await answer(there(null, null, null))
    expect(onUnknownServer).toHaveBeenCalledTimes(1)
    expect(gone).toEqual([])
    expect(await ended).toMatchObject({ code: 'NOT_FOUND' })
  })

  it('is dropped by our own server, although its list shows none of the others yet', async () => {
    const { answer, gone, onUnknownServer } = start(away)
    await answer(list([]))
    await answer(there('dm_1', null, 'grp_2'))
    expect(gone).toEqual(['grp_1'])
    expect(onUnknownServer).not.toHaveBeenCalled()
  })

  it('is kept when the link goes, or a request fails, before it is clear whose server this is', async () => {
    const cut = start(away)
    await cut.answer(list([chatAt(4)]))
    cut.over.abort()
    await cut.answer(there(null, null))
    const failed = start(away)
    await failed.answer(list([chatAt(4)]))
    await failed.fail(networkError('Nobody there.'))
    expect(await failed.ended).toMatchObject({ code: 'NETWORK' })
    for (const { gone, onUnknownServer, inbox } of [cut, failed]) {
      expect(gone).toEqual([])
      expect(onUnknownServer).not.toHaveBeenCalled()
      expect(inbox.knows('grp_1')).toBe(true)
    }
  })
})

describe('a group left while the device is there', () => {
  it('is asked for when the stream does not bring what the list shows, and then not waited for', async () => {
    const { answer, online, open, gone } = start({ positions: { dm_1: 4, grp_1: 7 } })
    await answer(list([chatAt(4), group(9)]))
    await vi.advanceTimersByTimeAsync(29_999)
    expect(open).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(open).toMatchObject([{ name: 'Conversation', variables: { id: 'grp_1' } }])
    expect(online).not.toHaveBeenCalled()
    await answer({ conversation: null })
    expect(gone).toEqual(['grp_1'])
    expect(online).toHaveBeenCalledTimes(1)
  })

  it('is asked for when a stream of it ends with NOT_FOUND', async () => {
    const { answer, ticks, typing, streams, open } = start({ positions: { grp_1: 7 } })
    await answer(list([group(7)]))
    ticks.watched.watch('grp_1')
    streams.at(-1)?.end(refused('NOT_FOUND'))
    expect(open).toMatchObject([{ name: 'Conversation', variables: { id: 'grp_1' } }])
    await answer({ conversation: group(7) })
    typing.watched.watch('grp_1')
    streams.at(-1)?.end(networkError('Cut.'))
    expect(open).toEqual([])
    typing.watched.watch('grp_2')
    streams.at(-1)?.end(refused('NOT_FOUND'))
    expect(open).toMatchObject([{ variables: { id: 'grp_2' } }])
  })

  it('between the list and its log does not end the session', async () => {
    const { answer, fail, online, ended } = start({ at: 4 })
    await answer(list([chatAt(4), group(2)]))
    await fail(refused('NOT_FOUND'), 'Messages')
    expect(online).toHaveBeenCalledTimes(1)
    expect(await isDone(ended)).toBe(false)
  })
})

describe('the list', () => {
  it('hears what the server says of conversations', async () => {
    const { answer, streamOf, conversations } = start({ at: 4 })
    await answer(list([chatAt(4)]))
    const { id, title, mutedUntil, archived, unreadCount, lastSeq, lastActivityAt } = chatAt(4)
    const conversation = {
      id,
      title,
      mutedUntil,
      pinned: true,
      archived,
      unreadCount,
      lastSeq,
      lastActivityAt,
      lastMessage: null,
    }
    streamOf('ConversationUpdated').event({ conversationUpdated: { conversation, removedConversationId: null } })
    expect(conversations.get('dm_1')).toMatchObject({ pinned: true })
  })

  it('is read again and again where streams are few', async () => {
    const { streams, all, answer, over } = start({ at: 4, fewStreams: true })
    expect(streams.map(({ name }) => name)).toEqual(['MessageAdded', 'MessageChanged'])
    await answer(list([chatAt(4)]))
    await vi.advanceTimersByTimeAsync(pollEveryMs)
    expect(all.map(({ name }) => name)).toEqual(['Conversations', 'Conversations'])
    over.abort()
    expectNoTimers()
  })
})

describe('whoever wants to know of links', () => {
  it('is given the streams of a wide one, until it is over', async () => {
    const { early, stopped, over } = start({ at: 4 })
    expect(early.mock.calls).toEqual([[expect.any(Function)]])
    expect(stopped).not.toHaveBeenCalled()
    over.abort()
    expect(stopped).toHaveBeenCalledTimes(1)
  })

  it.each([{ fewStreams: true }, { pushes: false }])(
    'is given no streams where they are few or none: %o',
    async (kind) => {
      const { early } = start({ at: 4, ...kind })
      expect(early.mock.calls).toEqual([[undefined]])
    },
  )

  it('is told at once when they come late, and no more when they go', async () => {
    const { attach, over } = start({ at: 4 })
    const stop = vi.fn()
    const late = vi.fn(() => stop)
    const detach = attach(late)
    expect(late).toHaveBeenCalledTimes(1)
    detach()
    expect(stop).toHaveBeenCalledTimes(1)
    over.abort()
    expect(stop).toHaveBeenCalledTimes(1)
    attach(late)
    expect(late).toHaveBeenCalledTimes(1)
  })
})

describe('where nothing can be pushed', () => {
  it('a new device begins where the others are, and reads what is above', async () => {
    const { answer, told, online } = start({ pushes: false })
    await answer(list([chatAt(6, { ticks: [boundary('alice', 4, 4)] })]))
    expect(online).not.toHaveBeenCalled()
    await answer(page([3, 4, 5, 6].map((seq) => message(seq))))
    expect(told).toEqual([5, 6])
    expect(online).toHaveBeenCalledTimes(1)
  })

  it('the list is asked for again and again, and the log where there is more', async () => {
    const { answer, all, told, over, ended, online } = start({ pushes: false, at: 4 })
    await answer(list([chatAt(4), conversation({ id: 'grp_empty' })]))
    expect(online).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(pollEveryMs - 1)
    expect(all).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(all).toHaveLength(2)
    await answer(list([chatAt(5)]))
    await answer(page([4, 5].map((seq) => message(seq))), 'Messages')
    expect(told).toEqual([5])
    over.abort()
    await ended
    expectNoTimers()
  })

  it('it is asked for at once when there is a reason', async () => {
    const { answer, all, poll } = start({ pushes: false, at: 4 })
    await answer(list([chatAt(4)]))
    poll()
    await settled()
    expect(all).toHaveLength(2)
  })

  it('the session ends when the server cannot be asked', async () => {
    const { answer, fail, ended } = start({ pushes: false, at: 4 })
    await answer(list([chatAt(5)]))
    await fail(networkError('Nobody there.'))
    expect(await ended).toMatchObject({ code: 'NETWORK' })
    expectNoTimers()
  })

  it('the session ends with its link, whatever it is doing', async () => {
    const pausing = start({ pushes: false, at: 4 })
    await pausing.answer(list([chatAt(4)]))
    pausing.over.abort()
    expect(await isDone(pausing.ended)).toBe(true)
    const reading = start({ pushes: false, at: 4 })
    reading.over.abort()
    await reading.answer(list([chatAt(4)]))
    expect(await isDone(reading.ended)).toBe(true)
    expectNoTimers()
    expect([pausing.all, reading.all].map(({ length }) => length)).toEqual([1, 1])
  })
})
