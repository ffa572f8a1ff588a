import { expect, vi } from 'vitest'
import type {
  ConversationFieldsFragment,
  ConversationsQuery,
  MessageAddedSubscription,
  MessageFieldsFragment,
  MessagesQuery,
  SendMessageMutation,
  TicksFieldsFragment,
} from '../../packages/client/src/generated/graphql.ts'
import type { Ask } from '../../packages/client/src/link/link.ts'
import { ClientError, type ClientErrorCode, networkError } from '../../packages/client/src/shared/client-error.ts'
import { createPersistedState } from '../../packages/client/src/shared/persisted-state.ts'
import { createRetryUntilAnswered } from '../../packages/client/src/shared/retry-until-answered.ts'
import { memoryStorage } from '../../packages/client/src/storage/memory-storage.ts'
import type { Storage } from '../../packages/client/src/storage/storage.ts'

/** Everything that can happen without a timer has happened. */
export const settled = () => vi.advanceTimersByTimeAsync(0)

/** So many microtasks later: for what may fall between two steps of somebody else. */
export async function microtasks(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await Promise.resolve()
}

/** The name of a query, mutation or subscription. */
export const nameOf = (document: { toString(): string }): string =>
  /(?:query|mutation|subscription) (\w+)/.exec(document.toString())?.[1] ?? 'unnamed'

type Question = {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the document takes.
  variables: any
  answer(data: unknown): void
  fail(error: unknown): void
}

export type ScriptedAsk = ReturnType<typeof scriptedAsk>

/** As the runtime has it, without chance. */
export const retrying = () => createRetryUntilAnswered({ random: () => 0, randomId: () => 'id1' })

/** Questions wait until the test answers them. */
export function scriptedAsk() {
  const all: Question[] = []
  const open: Question[] = []
  const ask: Ask = (document, variables) =>
    new Promise((resolve, reject) => {
      const close = () => open.splice(open.indexOf(question), 1)
      const question: Question = {
        name: nameOf(document),
        variables,
        answer(data) {
          close()
          resolve(data as never)
        },
        fail(error) {
          close()
          reject(error)
        },
      }
      all.push(question)
      open.push(question)
    })

  /** The first one nobody has answered yet, of this name if one is given. */
  function first(name?: string): Question {
    const found = open.find((each) => name === undefined || each.name === name)
    if (!found) throw new Error(`Nobody asks ${name ?? 'anything'}. Open: ${open.map((each) => each.name).join()}`)
    return found
  }

  return {
    ask,
    /** Every question there was. */
    all,
    open,
    first,
    async answer(data: unknown, name?: string): Promise<void> {
      first(name).answer(data)
      await settled()
    },
    async fail(error: unknown = networkFailure, name?: string): Promise<void> {
      first(name).fail(error)
      await settled()
    },
  }
}

export const refused = (code: ClientErrorCode = 'BAD_USER_INPUT', message = 'No.'): ClientError =>
  new ClientError(message, { code, retryable: false })

export const networkFailure = networkError('Nobody there.')

export const busy = (retryAfterMs?: number): ClientError =>
  new ClientError('Not now.', { code: 'RATE_LIMITED', retryable: true, retryAfterMs })

type MessageShape = { conversationId?: string; from?: string; body?: string; clientMessageId?: string; sentAt?: string }

/** A message as pages and the stream bring it. */
export type LoggedMessage = MessagesQuery['messages']['edges'][number]['node']

export function message(seq: number, shape: MessageShape = {}): LoggedMessage {
  const { conversationId = 'dm_1', from = 'bob', body = `m${seq}`, clientMessageId = null, sentAt } = shape
  return {
    id: `msg_${conversationId}_${seq}`,
    conversationId,
    seq,
    kind: 'USER',
    messageId: String(seq),
    clientMessageId,
    notice: null,
    sender: { id: from, name: null },
    body,
    metadata: null,
    sentAt: sentAt ?? new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString(),
    editedAt: null,
    deletedAt: null,
    attachments: [],
    reactions: [],
    replyTo: null,
  }
}

/** A change of the group `grp_1`. */
export const notice = (seq: number): LoggedMessage => ({
  ...message(seq, { conversationId: 'grp_1', body: '' }),
  notice: {
    kind: 'MEMBERS_ADDED',
    actor: { id: 'bob', name: null },
    users: [{ id: 'carol', name: null }],
    title: null,
  },
})

/** Unless told otherwise, right after the one before. */
export const event = (of: LoggedMessage, previousSeq = of.seq - 1): MessageAddedSubscription['messageAdded'] => ({
  message: of,
  previousSeq,
  cursor: `c${of.seq}`,
  catchUp: false,
})

/** A page of the log: newest first. */
export function page(messages: LoggedMessage[], hasNextPage = false, hasPreviousPage = false): MessagesQuery {
  const edges = messages.map((node) => ({ cursor: `c${node.seq}`, node })).sort((a, b) => b.node.seq - a.node.seq)
  const [startCursor, endCursor] = [edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null]
  return { messages: { edges, pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor } } }
}

export const stored = (of: MessageFieldsFragment, duplicate = false): SendMessageMutation => ({
  sendMessage: { duplicate, message: of },
})

export const boundary = (
  userId: string,
  delivered: number,
  read = 0,
  conversationId = 'dm_1',
): TicksFieldsFragment => ({
  conversationId,
  userId,
  lastDeliveredSeq: delivered,
  lastReadSeq: read,
})

/** The direct chat of alice and bob, unless told otherwise. */
export function conversation(shape: Partial<ConversationFieldsFragment> = {}): ConversationFieldsFragment {
  const { id = 'dm_1', lastMessage = null } = shape
  return {
    id,
    kind: 'DIRECT',
    title: null,
    members: ['alice', 'bob'].map((each) => ({ id: each, name: null })),
    memberships: ['alice', 'bob'].map((each) => ({ user: { id: each, name: null }, role: 'MEMBER', joinedSeq: 0 })),
    mutedUntil: null,
    pinned: false,
    archived: false,
    lastSeq: lastMessage?.seq ?? 0,
    lastActivityAt: lastMessage?.sentAt ?? '2026-01-01T00:00:00.000Z',
    unreadCount: 0,
    lastMessage,
    ticks: [boundary('alice', 0, 0, id), boundary('bob', 0, 0, id)],
    ...shape,
  }
}

export function list(conversations: ConversationFieldsFragment[], hasNextPage = false): ConversationsQuery {
  const edges = conversations.map((node) => ({ cursor: `at ${node.id}`, node }))
  const [startCursor, endCursor] = [edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null]
  return { conversations: { edges, pageInfo: { hasNextPage, hasPreviousPage: false, startCursor, endCursor } } }
}

/** Anything that fails fails the test. */
export const persistedStateOver = (storage: Storage = memoryStorage()) =>
  createPersistedState(storage, (error) => {
    throw error
  })

export const keptIn = async (storage: Storage): Promise<Record<string, unknown>> =>
  Object.fromEntries(await storage.load())

/** A storage that hands over when the test says so. */
export function slowStorage(storage: Storage = memoryStorage()) {
  const waiting: (() => void)[] = []
  return {
    ...storage,
    async write(changes: ReadonlyMap<string, unknown>): Promise<void> {
      await new Promise<void>((resolve) => waiting.push(resolve))
      await storage.write(changes)
    },
    waiting,
    async release(): Promise<void> {
      waiting.shift()?.()
      await settled()
    },
  }
}

export const brokenStorage = (): Storage => ({
  load: () => Promise.reject(new Error('forbidden')),
  write: () => Promise.reject(new Error('full')),
})

/** A promise that the test keeps. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((kept) => {
    resolve = kept
  })
  return { promise, resolve }
}

/** What came, one after the other; whoever is early waits. */
export function queue<T>() {
  const items: T[] = []
  const waiting: ((item: T) => void)[] = []
  return {
    push(item: T): void {
      const next = waiting.shift()
      if (next) next(item)
      else items.push(item)
    },
    next: (): Promise<T> =>
      new Promise((resolve) => {
        if (items.length > 0) resolve(items.shift() as T)
        else waiting.push(resolve)
      }),
    /** What nobody has taken yet. */
    rest: (): T[] => items.splice(0),
  }
}

/** Whether a promise is done, without waiting for it. */
export async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false
  promise.then(
    () => {
      done = true
    },
    () => {
      done = true
    },
  )
  await settled()
  return done
}

export const expectNoTimers = () => expect(vi.getTimerCount()).toBe(0)
