import { randomUUID } from 'node:crypto'
import { type Client, createClient } from 'graphql-ws'
import { SignJWT } from 'jose'
import WebSocket from 'ws'
import {
  AckDocument,
  type AckMutation,
  ConversationDocument,
  type ConversationQuery,
  ConversationsDocument,
  type ConversationsQuery,
  DeleteMessageDocument,
  type DeleteMessageMutation,
  EditMessageDocument,
  type EditMessageMutation,
  MarkReadDocument,
  type MarkReadMutation,
  MessageAddedDocument,
  type MessageAddedSubscription,
  MessageChangedDocument,
  type MessageChangedSubscription,
  type MessageFieldsFragment,
  MessagesDocument,
  type MessagesQuery,
  type MessagesQueryVariables,
  ReactDocument,
  type ReactMutation,
  SendMessageDocument,
  type SendMessageMutation,
  SetTypingDocument,
  TicksChangedDocument,
  type TicksChangedSubscription,
  TypingChangedDocument,
  type TypingChangedSubscription,
} from '../../packages/client/src/generated/graphql.ts'
import { createStreamLog, type StreamLog } from './stream-log.ts'

export const testSecret = 'a secret of the tests of thirty-two bytes and more'

/** This is an error as a client sees it, over any transport. */
export class ApiError extends Error {
  readonly code: string
  readonly retryable: boolean
  readonly field: string | undefined

  constructor({ message, extensions = {} }: { message: string; extensions?: Record<string, unknown> }) {
    super(message)
    this.code = String(extensions.code)
    this.retryable = extensions.retryable === true
    this.field = extensions.field as string | undefined
  }
}

export type Via = 'http' | 'ws' | 'rest'
/** A person, or another object that has one of the two. */
export type Recipient = { conversationId: string } | { userId: string }
type SendOptions = { via?: Via; clientMessageId?: string; node?: string }
/** A document as text, or one that has a text. */
type Operation = { toString(): string }
export type AddedEvent = MessageAddedSubscription['messageAdded']
export type ChangedEvent = MessageChangedSubscription['messageChanged']
export type TicksEvent = TicksChangedSubscription['ticksChanged']

export type Person = Awaited<ReturnType<typeof createPerson>>

/** A user with a token, who talks to a node as an application would. `url` is their usual node. */
export async function createPerson(
  userId: string,
  url: string,
  options: { name?: string; iat?: number } = {},
  expires = '1h',
) {
  const token = await signToken(userId, options, expires)
  const sockets = new Map<string, Client>()
  const authorization = `Bearer ${token}`

  function socketTo(node: string): Client {
    let client = sockets.get(node)
    if (!client) {
      client = createClient({
        url: `${node.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { authorization },
        retryAttempts: 0,
        lazyCloseTimeout: 60_000,
      })
      sockets.set(node, client)
    }
    return client
  }

  async function overHttp(query: string, variables: object, node: string): Promise<Answer> {
    const response = await fetch(`${node}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify({ query, variables }),
    })
    return (await response.json()) as Answer
  }

  async function overWs(query: string, variables: object, node: string): Promise<Answer> {
    const results = socketTo(node).iterate({ query, variables: variables as Record<string, unknown> })
    for await (const result of results) return result as Answer
    throw new Error('The operation ended without a result')
  }

  async function ask<Data>(
    document: Operation,
    variables: object = {},
    { via = 'http', node = url }: { via?: Via; node?: string } = {},
  ): Promise<Data> {
    const query = String(document)
    const { data, errors } = await (via === 'ws' ? overWs : overHttp)(query, variables, node).catch(asErrors)
    if (errors?.[0]) throw new ApiError(errors[0])
    return data as Data
  }

  async function send(to: Recipient, body: string, options: SendOptions = {}) {
    const { via = 'http', clientMessageId = randomUUID(), node = url } = options
    const recipient = 'conversationId' in to ? { conversationId: to.conversationId } : { userId: to.userId }
    const input = { clientMessageId, to: recipient, body }
    if (via === 'rest') return sendByRest(input, node)
    const { sendMessage } = await ask<SendMessageMutation>(SendMessageDocument, { input }, { via, node })
    const { message, duplicate } = sendMessage
    return { ...message, duplicate }
  }

  async function sendByRest(input: object, node: string) {
    const response = await fetch(`${node}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify(input),
    })
    const answer = (await response.json()) as RestAnswer
    if ('error' in answer) throw new ApiError({ message: answer.error.message, extensions: answer.error })
    return { ...answer.message, duplicate: answer.duplicate }
  }

  function subscribe<Data extends object, Event>(
    document: Operation,
    variables: object,
    pick: (data: Data) => Event,
    node: string,
  ): StreamLog<Event> {
    const log = createStreamLog<Event>()
    // It has a socket of its own, so that it can be dropped without the others.
    const client = createClient({
      url: `${node.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization },
      retryAttempts: 0,
      on: { connected: (socket) => log.opened(socket as WebSocket) },
    })
    const unsubscribe = client.subscribe<Data>(
      { query: String(document), variables: variables as Record<string, unknown> },
      {
        next: ({ data, errors }) => (errors?.[0] ? log.fail(new ApiError(errors[0])) : data && log.add(pick(data))),
        error: (error) => log.fail(toFailure(error)),
        complete: log.end,
      },
    )
    log.onStop(async () => {
      unsubscribe()
      await client.dispose()
    })
    return log
  }

  return {
    userId,
    token,
    url,
    ask,
    send,
    history: async (conversationId: string, page: Omit<MessagesQueryVariables, 'conversationId'> = {}, node = url) =>
      (await ask<MessagesQuery>(withTicks(MessagesDocument), { conversationId, ...page }, { node })).messages,
    conversation: async (id: string) => (await ask<ConversationQuery>(ConversationDocument, { id })).conversation,
    conversations: async (page: object = {}) =>
      (await ask<ConversationsQuery>(ConversationsDocument, page)).conversations,
    ack: async (conversationId: string, seq: number, options: { via?: Via; node?: string } = {}) =>
      (await ask<AckMutation>(AckDocument, { input: { conversationId, seq } }, options)).ack.ticks,
    markRead: async (conversationId: string, seq: number, options: { via?: Via; node?: string } = {}) =>
      (await ask<MarkReadMutation>(MarkReadDocument, { input: { conversationId, seq } }, options)).markRead.ticks,
    follow: (
      variables: { conversationId?: string; after?: { conversationId: string; seq: number }[] } = {},
      node = url,
    ) =>
      subscribe<MessageAddedSubscription, AddedEvent>(
        withTicks(MessageAddedDocument),
        variables,
        (data) => data.messageAdded,
        node,
      ),
    edit: async (conversationId: string, seq: number, body: string, clientMessageId = randomUUID() as string) =>
      (await ask<EditMessageMutation>(EditMessageDocument, { input: { conversationId, seq, body, clientMessageId } }))
        .editMessage.message,
    remove: async (conversationId: string, seq: number, clientMessageId = randomUUID() as string) =>
      (await ask<DeleteMessageMutation>(DeleteMessageDocument, { input: { conversationId, seq, clientMessageId } }))
        .deleteMessage.message,
    react: async (conversationId: string, seq: number, emoji: string, on = true) =>
      (
        await ask<ReactMutation>(ReactDocument, {
          input: { conversationId, seq, emoji, on, clientMessageId: randomUUID() },
        })
      ).react.message,
    followChanges: (
      variables: { conversationId?: string; after?: { conversationId: string; seq: number }[] } = {},
      node = url,
    ) =>
      subscribe<MessageChangedSubscription, ChangedEvent>(
        MessageChangedDocument,
        variables,
        (data) => data.messageChanged,
        node,
      ),
    updateProfile: async (input: { name?: string | null; avatarUrl?: string | null }, node = url) =>
      (
        await ask<{ updateProfile: { user: ShownProfile } }>(
          'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id name avatarUrl } } }',
          { input },
          { node },
        )
      ).updateProfile.user,
    setBlocked: async ({ userId: other }: { userId: string }, blocked: boolean, node = url) =>
      (
        await ask<{ setBlocked: { userId: string; blocked: boolean } }>(
          'mutation ($input: SetBlockedInput!) { setBlocked(input: $input) { userId blocked } }',
          { input: { userId: other, blocked } },
          { node },
        )
      ).setBlocked,
    presenceOf: async ({ userId: other }: { userId: string }, node = url) =>
      (
        await ask<{ node: { presence: ShownPresence | null } | null }>(
          'query ($id: ID!) { node(id: $id) { ... on User { presence { state lastSeenAt } } } }',
          { id: other },
          { node },
        )
      ).node?.presence,
    followPresence: (userIds: readonly string[], node = url) =>
      subscribe<{ presenceChanged: Appearance }, Appearance>(
        'subscription ($userIds: [ID!]!) { presenceChanged(userIds: $userIds) { id presence { state lastSeenAt } } }',
        { userIds },
        (data) => data.presenceChanged,
        node,
      ),
    setTyping: (conversationId: string, typing: boolean) =>
      ask(SetTypingDocument, { input: { conversationId, typing } }),
    followTyping: (conversationId: string, node = url) =>
      subscribe<TypingChangedSubscription, TypingChangedSubscription['typingChanged']>(
        TypingChangedDocument,
        { conversationId },
        (data) => data.typingChanged,
        node,
      ),
    updateConversation: async (conversationId: string, change: object, options: { node?: string } = {}) =>
      (
        await ask<{ updateConversation: { conversation: ListedChat } }>(
          updateConversation,
          { input: { conversationId, ...change } },
          options,
        )
      ).updateConversation.conversation,
    followConversations: (node = url) =>
      subscribe<{ conversationChanged: ListedChat }, ListedChat>(
        `subscription { conversationChanged { ${listedChat} } }`,
        {},
        (data) => data.conversationChanged,
        node,
      ),
    /** Follows any subscription and keeps its events as they come. */
    watch: <Data extends object>(document: Operation, variables: object = {}, node = url) =>
      subscribe<Data, Data>(document, variables, (data) => data, node),
    /** Follows messages without their ticks, which cost a read. */
    followLean: (node = url) =>
      subscribe<{ messageAdded: LeanEvent }, LeanEvent>(leanSubscription, {}, (data) => data.messageAdded, node),
    followTicks: (variables: { conversationId?: string } = {}, node = url) =>
      subscribe<TicksChangedSubscription, TicksEvent>(
        TicksChangedDocument,
        variables,
        (data) => data.ticksChanged,
        node,
      ),
    async hangUp() {
      await Promise.all([...sockets.values()].map((client) => client.dispose()))
    },
  }
}

/** Applications derive ticks from boundaries; the tests let the server do it, and pay for it. */
const withTicks = (document: Operation): string => String(document).replace('sentAt', 'sentAt tick')

/** A chat as a list shows it. */
export type ListedChat = {
  id: string
  lastSeq: number
  unreadCount: number
  lastMessage: { seq: number; body: string } | null
  mutedUntil: string | null
  pinned: boolean
  archived: boolean
}
export const listedChat = 'id lastSeq unreadCount lastMessage { seq body } mutedUntil pinned archived'
const updateConversation = `mutation ($input: UpdateConversationInput!) {
  updateConversation(input: $input) { conversation { ${listedChat} } }
}`
export type ShownProfile = { id: string; name: string | null; avatarUrl: string | null }
type ShownPresence = { state: 'ONLINE' | 'SYNCING' | 'OFFLINE'; lastSeenAt: string | null }
export type Appearance = { id: string; presence: ShownPresence | null }

type LeanEvent = { message: { seq: number; body: string; sender: { name: string | null } } }
const leanSubscription = 'subscription { messageAdded { message { seq body sender { name } } } }'

export const signToken = (userId: string, claims: Record<string, unknown> = {}, expires: string | number = '1h') =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(userId)
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(testSecret))

/** Returns `1 hi`: tests read a stream or a page like this. */
export const line = (message: Pick<MessageFieldsFragment, 'seq' | 'body'>): string => `${message.seq} ${message.body}`

type Answer = { data?: unknown; errors?: { message: string; extensions?: Record<string, unknown> }[] }
type RestMessage = Omit<MessageFieldsFragment, 'sender'> & { senderId: string }
type RestAnswer =
  | { message: RestMessage; duplicate: boolean }
  | { error: { code: string; message: string; retryable: boolean; field?: string } }

/** `reported` is what graphql-ws reports: an error message's payload, a close event, or an error. */
export function toFailure(reported: unknown): Error {
  if (Array.isArray(reported)) return new ApiError(reported[0])
  if (reported instanceof Error) return reported
  const { code, reason, message } = reported as { code?: number; reason?: string; message?: string }
  return new Error(`The socket was closed: ${code ?? ''} ${reason ?? message}`)
}

/** graphql-ws hands an error message's payload over by throwing it. */
function asErrors(error: unknown): Answer {
  if (Array.isArray(error)) return { errors: error }
  throw error
}
