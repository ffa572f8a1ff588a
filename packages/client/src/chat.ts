import type { ConversationFieldsFragment, MessageFieldsFragment } from './generated/graphql.ts'
import { type Connection, createConnection } from './link/connection.ts'
import { createHttp } from './link/http.ts'
import type { Ask, Via } from './link/link.ts'
import { openPollingLink } from './link/polling-link.ts'
import { createSession, type LinkListener } from './link/session.ts'
import { openSseLink } from './link/sse-link.ts'
import { createTokens, type FetchToken } from './link/tokens.ts'
import { openWebSocketLink } from './link/websocket-link.ts'
import { asClientError } from './shared/client-error.ts'
import { type Network, systemNetwork } from './shared/network.ts'
import { createListeners, type Observable } from './shared/observable.ts'
import { createPersistedState } from './shared/persisted-state.ts'
import { createRetryUntilAnswered, type RetryUntilAnswered } from './shared/retry-until-answered.ts'
import { createChanges } from './state/changes.ts'
import { type ConversationsState, createConversations } from './state/conversations.ts'
import { createInbox } from './state/inbox.ts'
import { createOutbox, type Outgoing, type Recipient, type Sending } from './state/outbox.ts'
import { createReceipts } from './state/receipts.ts'
import { createTicks, type TicksState } from './state/ticks.ts'
import { createTimelines, type Timeline } from './state/timelines.ts'
import { createTyping } from './state/typing.ts'
import type { Watched } from './state/watched.ts'
import { indexedDbStorage } from './storage/indexed-db-storage.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import type { Storage } from './storage/storage.ts'

export type ChatOptions = {
  /** The GraphQL endpoint, `https://chat.example.com/graphql`. A function is asked before each attempt. In browsers a path will do. */
  url: string | (() => string)
  /** Whose token it is. What is kept, is kept for this user. */
  userId: string
  token: FetchToken
  /** Unless given: IndexedDB where there is one, else memory, which does not outlive a reload. */
  storage?: Storage
  /** For Node 20, which has none of its own: `ws`. */
  webSocket?: typeof WebSocket
  /** Which ways to try, in this order. */
  transports?: readonly Via[]
  /** How often to ask where nothing can be pushed. */
  pollEveryMs?: number
  /** Told when something could not be kept; the message goes out all the same. */
  onStorageError?: (error: unknown) => void
  /** For tests. */
  fetch?: typeof fetch
  network?: Network
  random?: () => number
  randomId?: () => string
  now?: () => number
}

export type Chat = {
  readonly userId: string
  readonly connection: Observable<Connection>
  /** The chat list; current while the connection is online. */
  readonly conversations: Observable<ConversationsState>
  loadMoreConversations(): Promise<void>
  /** One of them, with its title, members and settings; undefined while it is not known. */
  conversation(to: Recipient): Observable<ConversationFieldsFragment | undefined>
  /** What is on its way, and what was refused. */
  readonly outbox: Observable<readonly Outgoing[]>
  /** The same object for the same recipient. */
  messages(to: Recipient): Timeline
  ticks(to: Recipient): Observable<TicksState>
  /** Shown at once, and kept until it is stored. Throws BAD_USER_INPUT for what cannot be a message. */
  send(to: Recipient, body: string, options?: Sending): Outgoing
  /** One that has failed, once more, with the same id. */
  retry(clientMessageId: string): void
  /** One that has failed, for good. */
  discard(clientMessageId: string): void
  /** The next three are repeated with one id until they are answered; they reject with what the server refuses for good. */
  edit(conversationId: string, seq: number, body: string): Promise<void>
  remove(conversationId: string, seq: number): Promise<void>
  react(conversationId: string, seq: number, emoji: string, on: boolean): Promise<void>
  /** To be called with every key: it goes out every two seconds, and fades after six, or with a message. */
  setTyping(to: Recipient, typing: boolean): void
  /** Who of the others is writing. */
  typing(to: Recipient): Observable<readonly string[]>
  /** The user has read everything up to this. */
  markRead(conversationId: string, seq: number): void
  /** Each message once, in order within its conversation; the user's own too. */
  onMessage(listener: (message: MessageFieldsFragment) => void): () => void
  /** Each edit, deletion and reaction once, in order within its conversation: the message as it is now. The user's own may come twice. */
  onMessageChanged(listener: (message: MessageFieldsFragment) => void): () => void
  /** Tries now, instead of when the pause is over. */
  reconnect(): void
  /** The rest is for what is not in the core, such as `parley/client/groups`, and for operations of your own. One question, once. */
  ask: Ask
  insist: RetryUntilAnswered
  /** Now, if there is a link, and with each that comes. Returns how to stop. */
  onLink(listener: LinkListener): () => void
  /** Whatever changes a conversation and answers with it, tried with one id until it is answered. */
  change(
    attempt: (id: string) => Promise<{ conversation: ConversationFieldsFragment }>,
  ): Promise<ConversationFieldsFragment>
  /** The user is not in it any more. */
  drop(conversationId: string): void
  close(): Promise<void>
}

/** Connects, and keeps connected until it is closed. */
export function createChat(options: ChatOptions): Chat {
  const { userId, webSocket, transports = ['websocket', 'sse', 'polling'], pollEveryMs = 3000 } = options
  const { random = Math.random, randomId = randomText, now = Date.now } = options
  const fetchIt: typeof fetch = options.fetch ?? ((...args) => globalThis.fetch(...args))
  const url = () => absolute(typeof options.url === 'function' ? options.url() : options.url)
  const persistedState = createPersistedState(
    options.storage ?? defaultStorage(userId),
    options.onStorageError ?? (() => undefined),
  )
  const tokens = createTokens(options.token)
  const http = createHttp({ url, tokens, fetch: fetchIt })
  const ask: Ask = async (document, variables) => {
    try {
      return await connection.ask(document, variables)
    } catch (error) {
      if (asClientError(error).code === 'NOT_FOUND') conversations.verifyMembership(conversationIn(variables))
      throw error
    }
  }
  const heard = createListeners<[MessageFieldsFragment]>()

  const ticks = createTicks(userId)
  const receipts = createReceipts({ ask, persistedState, random })
  const { retryUntilAnswered, ...retries } = createRetryUntilAnswered({ random, randomId })
  const conversations = createConversations({ ask, retryUntilAnswered, userId, readUpTo: receipts.readUpTo })
  const inbox = createInbox({ ask, persistedState, random, onMessage })
  const outbox = createOutbox({ ask, persistedState, random, randomId, now, laneOf: conversations.orderOf, onStored })
  const timelines = createTimelines({ ask, conversations, outbox })
  const changed = createListeners<[MessageFieldsFragment]>()
  const messagePositions = inbox.positions
  const changes = createChanges({ ask, retryUntilAnswered, persistedState, messagePositions, onChanged })
  const typing = createTyping(ask, now)
  const parts = { inbox, conversations, ticks, changes, typing, awaited: outbox.awaited }
  const { session, poll, attach } = createSession({
    userId,
    pollEveryMs,
    ...parts,
    onLink,
    onBegin: timelines.reset,
    onStranger,
  })
  const open = {
    websocket: () => openWebSocketLink({ url, tokens, webSocket }),
    sse: () => openSseLink({ url, tokens, fetch: fetchIt, ask: http }),
    polling: () => openPollingLink(http),
  }
  const connection = createConnection({
    open: transports.map((via) => [via, open[via]] as const),
    http,
    session,
    network: options.network ?? systemNetwork(),
    random,
    ready: restore(),
  })

  conversations.onSeen((conversation, isNew) => {
    ticks.know(conversation.id, conversation.ticks)
    for (const each of conversation.ticks) if (each.userId === userId) receipts.known(conversation.id, each)
    if (isNew) timelines.look()
  })
  conversations.onGone((id) => {
    inbox.forget(id)
    changes.forget(id)
    timelines.forget(id)
    outbox.settle(({ conversationId }) => conversationId === id)
  })
  connection.status.subscribe(() => {
    if (connection.status.get().state === 'online') outbox.settle(isHere)
  })
  ticks.onChange((id) => conversations.ticksChanged(id, ticks.of(id)))

  async function restore(): Promise<void> {
    const kept = await persistedState.load()
    inbox.restore(kept)
    changes.restore(kept)
    receipts.restore(kept)
    outbox.restore(kept)
  }

  function onMessage(message: MessageFieldsFragment, previousSeq: number): void {
    const { conversationId, seq, sender, clientMessageId } = message
    changes.meets(message)
    timelines.received(message)
    if (sender.id === userId && clientMessageId) outbox.arrived(clientMessageId)
    else receipts.delivered(conversationId, seq)
    // What was sent before the user was away for a moment does not come any more; what comes now is above it.
    outbox.settle(isHere)
    conversations.received(message, previousSeq)
    heard.tell(message)
  }

  function onChanged(message: MessageFieldsFragment): void {
    timelines.changed(message)
    conversations.changed(message)
    changed.tell(message)
  }

  const isHere = ({ conversationId, seq }: MessageFieldsFragment): boolean => inbox.positionOf(conversationId) >= seq

  function onStored(message: MessageFieldsFragment, to: Recipient): boolean {
    const { conversationId } = message
    if (to.userId !== undefined && conversations.idOf(to) !== conversationId) {
      conversations.isDirectWith(to.userId, conversationId)
      timelines.look()
    }
    if (connection.status.get().via === 'polling') poll()
    // Whoever is out of it by now is brought nothing of it.
    return isHere(message) || conversations.hasLeft(conversationId)
  }

  function onLink(): void {
    outbox.wake()
    receipts.wake()
    retries.wake()
    conversations.wake()
    timelines.look()
  }

  function onStranger(): void {
    inbox.reset()
    changes.reset()
    receipts.reset()
    ticks.reset()
    conversations.reset()
    timelines.reset()
    outbox.settle(() => true)
  }

  const anyConversation = (to: Recipient) => (listener: (id: string) => void) =>
    conversations.state.subscribe(() => listener(conversations.idOf(to) ?? ''))

  return {
    userId,
    connection: connection.status,
    conversations: conversations.state,
    loadMoreConversations: conversations.loadMore,
    conversation: (to) => observe(to, conversations, anyConversation(to), conversations.get),
    outbox: outbox.entries,
    messages: timelines.of,
    ticks: (to) => observe(to, ticks.watched, ticks.onChange, ticks.stateOf),
    typing: (to) => observe(to, typing.watched, typing.onChange, typing.of),
    send(to, body, sending) {
      const conversationId = conversations.idOf(to)
      if (conversationId) typing.sent(conversationId)
      return outbox.send(to, body, sending)
    },
    edit: changes.edit,
    remove: changes.remove,
    react: changes.react,
    setTyping(to, isTyping) {
      const conversationId = conversations.idOf(to)
      if (conversationId) typing.say(conversationId, isTyping)
    },
    retry: outbox.retry,
    discard: outbox.discard,
    markRead(conversationId, seq) {
      receipts.read(conversationId, seq)
      conversations.read(conversationId, seq)
    },
    onMessage: heard.add,
    onMessageChanged: changed.add,
    reconnect: connection.reconnect,
    ask,
    insist: retryUntilAnswered,
    onLink: attach,
    change: conversations.change,
    drop: conversations.drop,
    async close() {
      outbox.close()
      receipts.close()
      inbox.close()
      changes.close()
      retries.close()
      await connection.close()
      await persistedState.close()
    },
  }

  /** Something of the conversation a recipient stands for, which may become known only later. */
  function observe<T>(
    to: Recipient,
    { watch }: Pick<Watched, 'watch'>,
    onChange: (listener: (conversationId: string) => void) => () => void,
    get: (conversationId: string) => T,
  ): Observable<T> {
    return {
      get: () => get(conversations.idOf(to) ?? ''),
      subscribe(listener) {
        let watched: string | undefined
        let unwatch: () => void = () => undefined
        const adjust = () => {
          const id = conversations.idOf(to)
          if (id === undefined || id === watched) return
          unwatch()
          watched = id
          unwatch = watch(id)
          listener()
        }
        const stops = [
          onChange((id) => {
            if (id === watched) listener()
          }),
          conversations.state.subscribe(adjust),
          () => unwatch(),
        ]
        adjust()
        return () => {
          for (const stop of stops) stop()
        }
      },
    }
  }
}

/** 128 bits, also where crypto.randomUUID is missing: on pages that came without TLS. */
function randomText(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function defaultStorage(userId: string): Storage {
  return typeof indexedDB === 'undefined' ? memoryStorage() : indexedDbStorage(`parley:${userId}`)
}

/** Which conversation a question was about. */
function conversationIn(variables: unknown): string | undefined {
  const { conversationId, input } = Object(variables)
  return conversationId ?? input?.conversationId ?? input?.to?.conversationId
}

const absolute = (url: string): string => (typeof location === 'undefined' ? url : new URL(url, location.href).href)
