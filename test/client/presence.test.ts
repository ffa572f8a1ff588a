import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Chat } from '../../packages/client/src/chat.ts'
import type { LinkListener } from '../../packages/client/src/link/session.ts'
import { presenceOf } from '../../packages/client/src/presence.ts'
import { type ClientError, networkError } from '../../packages/client/src/shared/client-error.ts'
import { createValue } from '../../packages/client/src/shared/observable.ts'
import { chatAt } from './fake-server.ts'
import { expectNoTimers, networkFailure, refused, scriptedAsk } from './kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Stream = { userIds: string[]; over: boolean; say(id: string, state: string): void; end(error: ClientError): void }

/** A chat whose links come and go as the test says. */
function start() {
  const asks = scriptedAsk()
  const streams: Stream[] = []
  const conversations = createValue({ conversations: [chatAt(1)], loading: false, hasMore: false })
  let listener: LinkListener | undefined
  let unlink: () => void = () => undefined
  const chat = {
    ask: asks.ask,
    conversations,
    onLink(given: LinkListener) {
      listener = given
      return () => undefined
    },
  } as Partial<Chat> as Chat

  return {
    ...asks,
    chat,
    streams,
    conversations,
    link({ pushes = true } = {}): void {
      unlink =
        listener?.(
          pushes
            ? (_document, variables, sink) => {
                const stream: Stream = {
                  userIds: (variables as { userIds: string[] }).userIds,
                  over: false,
                  say: (id, state) =>
                    sink.event({ presenceChanged: { id, presence: { state, lastSeenAt: null } } } as never),
                  end: sink.end,
                }
                streams.push(stream)
                return () => {
                  stream.over = true
                }
              }
            : undefined,
        ) ?? unlink
    },
    unlink: () => unlink(),
    async open(): Promise<void> {
      await vi.advanceTimersByTimeAsync(100)
    },
  }
}

it('one stream tells of everybody somebody looks at, each their own', async () => {
  const { chat, streams, link, open } = start()
  const [bob, carol] = [presenceOf(chat, 'bob'), presenceOf(chat, 'carol')]
  const told = vi.fn()
  bob.subscribe(told)
  carol.subscribe(() => undefined)
  link()
  await open()
  expect(streams.map(({ userIds }) => userIds)).toEqual([['bob', 'carol']])
  streams[0]?.say('bob', 'ONLINE')
  streams[0]?.say('carol', 'SYNCING')
  streams[0]?.say('bob', 'ONLINE')
  expect(bob.get()).toEqual({ state: 'ONLINE', lastSeenAt: null })
  expect(carol.get()).toEqual({ state: 'SYNCING', lastSeenAt: null })
  expect(told).toHaveBeenCalledTimes(1)
  expect(presenceOf(chat, 'bob')).toBe(bob)
})

it('the stream is opened anew a moment after they change, once for all, and the old one is closed after it', async () => {
  const { chat, streams, link, open } = start()
  presenceOf(chat, 'bob').subscribe(() => undefined)
  link()
  await open()
  const stop = presenceOf(chat, 'carol').subscribe(() => undefined)
  presenceOf(chat, 'dave').subscribe(() => undefined)
  await vi.advanceTimersByTimeAsync(99)
  expect(streams).toHaveLength(1)
  await open()
  stop()
  await open()
  expect(streams.map(({ userIds, over }) => [...userIds, over])).toEqual([
    ['bob', true],
    ['bob', 'carol', 'dave', true],
    ['bob', 'dave', false],
  ])
})

it('when nobody looks any more there is no stream', async () => {
  const { chat, streams, link, open } = start()
  const stop = presenceOf(chat, 'bob').subscribe(() => undefined)
  link()
  await open()
  stop()
  await open()
  expect(streams.map(({ over }) => over)).toEqual([true])
})

it('more than the server takes at a time are shared out', async () => {
  const { chat, streams, link, open } = start()
  for (let i = 0; i < 101; i += 1) presenceOf(chat, `u${i}`).subscribe(() => undefined)
  link()
  await open()
  expect(streams.map(({ userIds }) => userIds.length)).toEqual([100, 1])
})

it('without a link nobody knows, and the next one tells anew', async () => {
  const { chat, streams, link, unlink, open } = start()
  const bob = presenceOf(chat, 'bob')
  const told = vi.fn()
  bob.subscribe(told)
  link()
  await open()
  streams[0]?.say('bob', 'ONLINE')
  unlink()
  expect(bob.get()).toBeUndefined()
  expect(told).toHaveBeenCalledTimes(2)
  expect(streams[0]?.over).toBe(true)
  expectNoTimers()
  link()
  await open()
  streams[1]?.say('bob', 'OFFLINE')
  expect(bob.get()).toMatchObject({ state: 'OFFLINE' })
})

it('a stream that ends is opened again, later each time; one that is refused is not', async () => {
  const { chat, streams, link, open } = start()
  presenceOf(chat, 'bob').subscribe(() => undefined)
  link()
  await open()
  streams[0]?.end(networkError('Cut.'))
  await vi.advanceTimersByTimeAsync(499)
  expect(streams).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  streams[1]?.end(networkError('Cut.'))
  await vi.advanceTimersByTimeAsync(999)
  expect(streams).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  streams[2]?.end(refused())
  await vi.advanceTimersByTimeAsync(60_000)
  expect(streams).toHaveLength(3)
})

it('a new chat may make friends of strangers: they are looked at again', async () => {
  const { chat, streams, link, open, conversations } = start()
  presenceOf(chat, 'bob').subscribe(() => undefined)
  link()
  await open()
  conversations.set({ ...conversations.get(), conversations: [chatAt(1), chatAt(2, { id: 'dm_2' })] })
  await open()
  expect(streams).toHaveLength(2)
  streams[1]?.say('bob', 'ONLINE')
  conversations.set({ ...conversations.get(), conversations: [1, 2, 3].map((n) => chatAt(n, { id: `dm_${n}` })) })
  await open()
  expect(streams).toHaveLength(2)
})

it('where streams are few, those somebody looks at are asked for again and again', async () => {
  const { chat, link, unlink, answer, fail, all, streams, open } = start()
  const bob = presenceOf(chat, 'bob')
  const stop = bob.subscribe(() => undefined)
  link({ pushes: false })
  await open()
  expect(all.map(({ variables }) => variables)).toEqual([{ userId: 'bob' }])
  await answer({ node: { id: 'bob', presence: { state: 'ONLINE', lastSeenAt: null } } })
  expect(bob.get()).toMatchObject({ state: 'ONLINE' })
  await vi.advanceTimersByTimeAsync(5000)
  await fail(networkFailure)
  expect(bob.get()).toMatchObject({ state: 'ONLINE' })
  await vi.advanceTimersByTimeAsync(5000)
  await answer({ node: null })
  expect(bob.get()).toBeUndefined()
  expect(streams).toEqual([])
  await vi.advanceTimersByTimeAsync(5000)
  unlink()
  await answer({ node: { id: 'bob', presence: { state: 'ONLINE', lastSeenAt: null } } })
  expect(bob.get()).toBeUndefined()
  stop()
  expectNoTimers()
})
