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
import { createTimelines, type Timeline, type TimelineMessage } from './state/timelines.ts'
import { createTyping } from './state/typing.ts'
import type { Watched } from './state/watched.ts'
import { indexedDbStorage } from './storage/indexed-db-storage.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import type { Storage } from './storage/storage.ts'

export type ChatOptions = {
  /** The GraphQL endpoint, `https://chat.example.com/graphql`. A function is asked before each attempt. In browsers a path will do. */
  url: string | (() => string)
  /** The user that the token belongs to. The storage is kept for this user. */
  userId: string
  token: FetchToken
  /** Defaults to IndexedDB where there is one, else to memory, which does not outlive a reload. */
  storage?: Storage
  /** Node 20 has no WebSocket of its own: pass that of `ws`. */
  webSocket?: typeof WebSocket
  /** Whether timelines show changes of groups too, such as that a member was added. They are neither counted nor given to `onMessage`. */
  notices?: boolean
  /** The transports to try, in this order. */
  transports?: readonly Via[]
  /** How often the client polls where the server cannot push. */
  pollEveryMs?: number
  /** Called when something could not be stored. The message is sent all the same. */
  onStorageError?: (error: unknown) => void
  /** The rest is for tests. */
  fetch?: typeof fetch
  network?: Network
  random?: () => number
  randomId?: () => string
  now?: () => number
}

export type Chat = {
  readonly userId: string
  readonly connection: Observable<Connection>
  /** The chat list. It is current while the connection is online. */
  readonly conversations: Observable<ConversationsState>
  loadMoreConversations(): Promise<void>
  /** One conversation, with its title, members and settings. It is undefined while it is not known. */
  conversation(to: Recipient): Observable<ConversationFieldsFragment | undefined>
  /** Messages that wait to be sent, and messages that were refused. */
  readonly outbox: Observable<readonly Outgoing[]>
  /** Returns the same object for the same recipient. */
  messages(to: Recipient): Timeline
  ticks(to: Recipient): Observable<TicksState>
  /** Shows the message at once and keeps it until the server has stored it. Throws BAD_USER_INPUT for an invalid body. */
  send(to: Recipient, body: string, options?: Sending): Outgoing
  /** Sends a failed message again, with the same id. */
  retry(clientMessageId: string): void
  /** Removes a failed message for good. */
  discard(clientMessageId: string): void
  /** The next three are repeated with one id until they are answered. They reject if the server refuses them for good. */
  edit(conversationId: string, seq: number, body: string): Promise<void>
  remove(conversationId: string, seq: number): Promise<void>
  react(conversationId: string, seq: number, emoji: string, on: boolean): Promise<void>
  /** Call it with every key. It is sent every two seconds at most, and the others forget it after six, or with a message. */
  setTyping(to: Recipient, typing: boolean): void
  /** The ids of the others who are typing. */
  typing(to: Recipient): Observable<readonly string[]>
  /** Says that the user has read everything up to this seq. */
  markRead(conversationId: string, seq: number): void
  /** Calls the listener once for each message, in order within its conversation. The user's own messages are included. */
  onMessage(listener: (message: MessageFieldsFragment) => void): () => void
  /**
   * Calls the listener once for each edit, deletion and reaction, in order within its conversation, with the message as it is now. The
   * user's own changes may come twice.
   */
  onMessageChanged(listener: (message: MessageFieldsFragment) => void): () => void
  /** Connects now, instead of when the backoff is over. */
  reconnect(): void
  /** Runs one operation once. This and the rest are for entries such as `@parley/client/groups`, and for operations of your own. */
  ask: Ask
  insist: RetryUntilAnswered
  /** Calls the listener now if there is a link, and again with each new link. Returns a function that stops it. */
  onLink(listener: LinkListener): () => void
  /** Repeats an operation that changes a conversation and returns it, with one id, until it is answered. */
  change(
    attempt: (id: string) => Promise<{ conversation: ConversationFieldsFragment }>,
  ): Promise<ConversationFieldsFragment>
  /** Removes a conversation that the user is not in any more. */
  drop(conversationId: string): void
  close(): Promise<void>
}

/** Connects, and stays connected until it is closed. */
export function createChat(options: ChatOptions): Chat {
  const { userId, webSocket, transports = ['websocket', 'sse', 'polling'], pollEveryMs = 3000 } = options
  const { notices = false } = options
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
  const messageListeners = createListeners<[MessageFieldsFragment]>()

  const ticks = createTicks(userId)
  const receipts = createReceipts({ ask, persistedState, random })
  const { retryUntilAnswered, ...retries } = createRetryUntilAnswered({ random, randomId })
  const conversations = createConversations({ ask, retryUntilAnswered, userId, readUpTo: receipts.readUpTo })
  const inbox = createInbox({ ask, persistedState, random, notices, onMessage })
  const outbox = createOutbox({
    ask,
    persistedState,
    random,
    randomId,
    now,
    queueOf: conversations.sendQueueOf,
    onStored,
  })
  const timelines = createTimelines({ ask, retryUntilAnswered, conversations, outbox, notices })
  const changeListeners = createListeners<[MessageFieldsFragment]>()
  const messagePositions = inbox.positions
  const changes = createChanges({ ask, retryUntilAnswered, persistedState, messagePositions, onChanged })
  const typing = createTyping(ask, now)
  const parts = { inbox, conversations, ticks, changes, typing, verifySent }
  const { session, poll, addLinkListener } = createSession({
    userId,
    notices,
    pollEveryMs,
    ...parts,
    onLink,
    onBegin: timelines.reset,
    onUnknownServer,
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
    if (isNew) timelines.refresh()
  })
  conversations.onGone((id) => {
    inbox.forget(id)
    changes.forget(id)
    timelines.forget(id)
    outbox.removeStored(({ conversationId }) => conversationId === id)
  })
  connection.status.subscribe(() => {
    if (connection.status.get().state === 'online') outbox.removeStored(isHere)
  })
  ticks.onChange((id) => conversations.ticksChanged(id, ticks.of(id)))

  async function restore(): Promise<void> {
    const kept = await persistedState.load()
    inbox.restore(kept)
    changes.restore(kept)
    receipts.restore(kept)
    outbox.restore(kept)
  }

  function onMessage(message: TimelineMessage, previousSeq: number): void {
    const { conversationId, seq, sender, clientMessageId } = message
    changes.meets(message)
    timelines.received(message)
    if (message.notice) {
      receipts.delivered(conversationId, seq)
      conversations.noticed(conversationId)
      return
    }
    if (sender.id === userId && clientMessageId) outbox.arrived(clientMessageId)
    else receipts.delivered(conversationId, seq)
    // Messages sent before the user left and rejoined never arrive: the stream now begins above them.
    outbox.removeStored(isHere)
    conversations.received(message, previousSeq)
    messageListeners.emit(message)
  }

  function onChanged(message: MessageFieldsFragment): void {
    timelines.changed(message)
    conversations.changed(message)
    changeListeners.emit(message)
  }

  const isHere = ({ conversationId, seq }: MessageFieldsFragment): boolean => inbox.positionOf(conversationId) >= seq

  function onStored(message: MessageFieldsFragment, to: Recipient): boolean {
    const { conversationId } = message
    if (to.userId !== undefined && conversations.idOf(to) !== conversationId) {
      conversations.isDirectWith(to.userId, conversationId)
      timelines.refresh()
    }
    if (connection.status.get().via === 'polling') poll()
    // The stream brings nothing of a conversation that the user has left.
    return isHere(message) || conversations.hasLeft(conversationId)
  }

  /**
   * Removes sent messages that the user may not see: they were taken out of the group just before, and the inbox will not bring them, not
   * even if they are back in it. If this fails, it is tried again.
   */
  async function verifySent(): Promise<void> {
    const awaited = outbox.awaited()
    if (awaited.length === 0) return
    for (const { conversationId } of awaited) conversations.verifyMembership(conversationId)
    const there = await conversations.stillThere(awaited.map(({ id }) => id)).catch(() => undefined)
    if (there) outbox.removeStored((message) => awaited.includes(message) && !there.has(message.id))
  }

  function onLink(): void {
    outbox.wake()
    receipts.wake()
    retries.wake()
    conversations.wake()
    timelines.refresh()
  }

  function onUnknownServer(): void {
    inbox.reset()
    changes.reset()
    receipts.reset()
    ticks.reset()
    conversations.reset()
    timelines.reset()
    outbox.removeStored(() => true)
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
    onMessage: messageListeners.add,
    onMessageChanged: changeListeners.add,
    reconnect: connection.reconnect,
    ask,
    insist: retryUntilAnswered,
    onLink: addLinkListener,
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

  /** Observes a part of the recipient's conversation. The conversation may become known only later. */
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

/** Returns 128 random bits. Pages without TLS have no crypto.randomUUID. */
function randomText(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function defaultStorage(userId: string): Storage {
  return typeof indexedDB === 'undefined' ? memoryStorage() : indexedDbStorage(`parley:${userId}`)
}

/** Returns the conversation that an operation was about. */
function conversationIn(variables: unknown): string | undefined {
  const { conversationId, input } = Object(variables)
  return conversationId ?? input?.conversationId ?? input?.to?.conversationId
}

const absolute = (url: string): string => (typeof location === 'undefined' ? url : new URL(url, location.href).href)
