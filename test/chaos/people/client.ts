import {
  AckDocument,
  type AckMutation,
  MarkReadDocument,
  type MarkReadMutation,
  MessageAddedDocument,
  type MessageAddedSubscription,
  MessageChangedDocument,
  type MessageChangedSubscription,
  type MessageFieldsFragment,
  MessagesDocument,
  type MessagesQuery,
  SendMessageDocument,
  type SendMessageMutation,
  SetTypingDocument,
  TicksChangedDocument,
  type TicksChangedSubscription,
  TypingChangedDocument,
  type TypingChangedSubscription,
} from '../../../packages/client/src/generated/graphql.ts'
import type { Random } from '../../simulation/random.ts'
import type {
  AddedSeen,
  BoundaryCall,
  Call,
  ChangeAsk,
  ChangeCall,
  ChangedSeen,
  ChangeStream,
  GroupCall,
  GroupRequest,
  History,
  MessageSeen,
  MessageStream,
  Outcome,
  PageCall,
  PageSeen,
  ProbeCall,
  SendAsk,
  SendCall,
  TickStream,
  TicksCall,
  TicksSeen,
  TypingCall,
  TypingStream,
  Via,
} from '../checks/history.ts'
import { createConnection, type Subscription } from './connection.ts'
import { type AskNode, askForChange, askForGroup } from './group-calls.ts'

// One device of one user. It notes all its requests and their answers.

type ClientOptions = {
  client: string
  userId: string
  token: string
  nodes: readonly string[]
  random: Random
  history: History
  nowMs: () => number
}

export type ChaosClient = ReturnType<typeof createClient>

type PageRequest = { conversationId: string; count: number; from: 'newest' | 'oldest'; cursor?: string }
export type PageResult = PageSeen & { cursor: string | undefined }

const ticksQuery = `query ($id: ID!) {
  conversation(id: $id) { lastSeq ticks { conversationId userId lastDeliveredSeq lastReadSeq } }
}`

export function createClient({ client, userId, token, nodes, random, history, nowMs }: ClientOptions) {
  const connection = createConnection(token)
  const anyNode = (): string => random.pick(nodes)
  const anyNodeBut = (avoided: string | undefined): string => {
    const others = nodes.filter((node) => node !== avoided)
    return random.pick(others.length > 0 ? others : nodes)
  }
  const anyVia = (): 'ws' | 'http' => random.pick(['ws', 'http'])

  async function record<C extends Call>(
    call: Pick<C, 'kind' | 'ask' | 'node'>,
    perform: () => Promise<NonNullable<C['outcome']>>,
  ): Promise<C> {
    const recorded = { client, userId, askedAtMs: nowMs(), ...call } as C
    history.calls.push(recorded)
    recorded.outcome = await perform()
    recorded.endedAtMs = nowMs()
    return recorded
  }

  function send(ask: SendAsk & { via: Via }, node = anyNode()): Promise<SendCall> {
    const { conversationId, clientMessageId, body, via } = ask
    const [first = '', second = first] = history.members[conversationId] ?? []
    const to = ask.to === 'chat' ? { conversationId } : { userId: first === userId ? second : first }
    const input = { clientMessageId, to, body }
    return record<SendCall>({ kind: 'send', ask, node }, async () => {
      if (via === 'rest') {
        const outcome = await connection.rest<{ message: RestMessage; duplicate: boolean }>(node, input)
        return mapAnswer(outcome, ({ message, duplicate }) => ({ message: seenByRest(message), duplicate }))
      }
      const outcome = await connection.ask<SendMessageMutation>(via, node, SendMessageDocument, { input })
      return mapAnswer(outcome, ({ sendMessage: { message, duplicate } }) => ({ message: seen(message), duplicate }))
    })
  }

  function bound(kind: 'ack' | 'read', ask: { conversationId: string; seq: number }): Promise<BoundaryCall> {
    const node = anyNode()
    return record<BoundaryCall>({ kind, ask, node }, async () => {
      if (kind === 'ack') {
        const outcome = await connection.ask<AckMutation>(anyVia(), node, AckDocument, { input: ask })
        return mapAnswer(outcome, ({ ack }): TicksSeen => ack.ticks)
      }
      const outcome = await connection.ask<MarkReadMutation>(anyVia(), node, MarkReadDocument, { input: ask })
      return mapAnswer(outcome, ({ markRead }): TicksSeen => markRead.ticks)
    })
  }

  async function page(request: PageRequest, node = anyNode()): Promise<Outcome<PageResult>> {
    const { conversationId, count, from, cursor } = request
    const older = { first: count, after: cursor }
    const newer = { last: count, before: cursor }
    let next: string | undefined
    const call = await record<PageCall>(
      { kind: 'page', ask: { conversationId, count, from, cursor: cursor !== undefined }, node },
      async () => {
        const outcome = await connection.ask<MessagesQuery>(anyVia(), node, MessagesDocument, {
          conversationId,
          ...(from === 'newest' ? older : newer),
        })
        return mapAnswer(outcome, ({ messages: { edges, pageInfo } }) => {
          next = (from === 'newest' ? pageInfo.endCursor : pageInfo.startCursor) ?? undefined
          return {
            messages: edges.map((edge) => seen(edge.node)),
            more: from === 'newest' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage,
          }
        })
      },
    )
    return mapAnswer(call.outcome ?? notAnswered, (answer) => ({ ...answer, cursor: next }))
  }

  function ticks(conversationId: string, node = anyNode()): Promise<TicksCall> {
    return record<TicksCall>({ kind: 'ticks', ask: { conversationId }, node }, async () => {
      const outcome = await connection.ask<TicksAnswer>(anyVia(), node, ticksQuery, { id: conversationId })
      if ('answer' in outcome && outcome.answer.conversation === null) return notFound
      return mapAnswer(outcome, ({ conversation }) => conversation ?? { lastSeq: 0, ticks: [] })
    })
  }

  function typing(ask: TypingCall['ask'], node = anyNode()): Promise<TypingCall> {
    return record<TypingCall>({ kind: 'typing', ask, node }, async () => {
      const outcome = await connection.ask(anyVia(), node, SetTypingDocument, { input: ask })
      return mapAnswer(outcome, () => true as const)
    })
  }

  const askerAt =
    (node: string): AskNode =>
    (document, variables) =>
      connection.ask(anyVia(), node, document, variables)

  function change(ask: ChangeAsk, node = anyNode()): Promise<ChangeCall> {
    return record<ChangeCall>({ kind: 'change', ask, node }, () => askForChange(askerAt(node), ask))
  }

  function group(conversationId: string, request: GroupRequest, node = anyNode()): Promise<GroupCall> {
    return record<GroupCall>({ kind: 'group', ask: { conversationId, request }, node }, () =>
      askForGroup(askerAt(node), conversationId, request),
    )
  }

  /** Tries to see something of a conversation this user is not in. */
  function probe(conversationId: string): Promise<ProbeCall> {
    const node = anyNode()
    const by = random.pick(['conversation', 'messages', 'ack'] as const)
    return record<ProbeCall>({ kind: 'probe', ask: { conversationId, by }, node }, async () => {
      if (by === 'conversation') {
        const outcome = await connection.ask<TicksAnswer>(anyVia(), node, ticksQuery, { id: conversationId })
        return mapAnswer(outcome, ({ conversation }) => (conversation ? 'shown' : 'hidden'))
      }
      const outcome =
        by === 'messages'
          ? await connection.ask(anyVia(), node, MessagesDocument, { conversationId })
          : await connection.ask(anyVia(), node, AckDocument, { input: { conversationId, seq: 1 } })
      if ('refused' in outcome && outcome.refused.code === 'NOT_FOUND') return { answer: 'hidden' }
      return mapAnswer(outcome, () => 'shown')
    })
  }

  function follow(
    options: { conversationId?: string; after?: Record<string, number> },
    onEvent: (event: AddedSeen) => void,
    avoidedNode?: string,
  ): Subscription {
    const { conversationId, after } = options
    const node = anyNodeBut(avoidedNode)
    const stream: MessageStream = { client, userId, node, openedAtMs: nowMs(), events: [], ...options }
    history.streams.push(stream)
    const positions = after && Object.entries(after).map(([id, seq]) => ({ conversationId: id, seq }))
    const subscription = connection.subscribe<MessageAddedSubscription>(
      node,
      MessageAddedDocument,
      { conversationId, after: positions },
      ({ messageAdded: { message, previousSeq, catchUp } }) => {
        const event = { message: seen(message), previousSeq, catchUp, atMs: nowMs() }
        stream.events.push(event)
        onEvent(event)
      },
    )
    return noteEnd(stream, subscription)
  }

  function followChanges(
    after: Record<string, number>,
    onEvent: (event: ChangedSeen) => void,
    avoidedNode?: string,
  ): Subscription {
    const node = anyNodeBut(avoidedNode)
    const stream: ChangeStream = { client, userId, node, openedAtMs: nowMs(), events: [], after }
    history.changeStreams.push(stream)
    const positions = Object.entries(after).map(([id, seq]) => ({ conversationId: id, seq }))
    const subscription = connection.subscribe<MessageChangedSubscription>(
      node,
      MessageChangedDocument,
      { after: positions },
      ({ messageChanged: { message, seq, previousSeq, catchUp } }) => {
        const event = { message: seen(message), seq, previousSeq, catchUp, atMs: nowMs() }
        stream.events.push(event)
        onEvent(event)
      },
    )
    return noteEnd(stream, subscription)
  }

  function followTicks(conversationId?: string, avoidedNode?: string): Subscription {
    const node = anyNodeBut(avoidedNode)
    const scope = conversationId === undefined ? {} : { conversationId }
    const stream: TickStream = { client, userId, node, openedAtMs: nowMs(), events: [], ...scope }
    history.tickStreams.push(stream)
    const subscription = connection.subscribe<TicksChangedSubscription>(
      node,
      TicksChangedDocument,
      scope,
      ({ ticksChanged }) => void stream.events.push({ ticks: ticksChanged, atMs: nowMs() }),
    )
    return noteEnd(stream, subscription)
  }

  function followTyping(conversationId: string, avoidedNode?: string): Subscription {
    const node = anyNodeBut(avoidedNode)
    const stream: TypingStream = { client, userId, node, openedAtMs: nowMs(), events: [], conversationId }
    history.typingStreams.push(stream)
    const subscription = connection.subscribe<TypingChangedSubscription>(
      node,
      TypingChangedDocument,
      { conversationId },
      ({ typingChanged }) => void stream.events.push({ typing: typingChanged, atMs: nowMs() }),
    )
    return noteEnd(stream, subscription)
  }

  function noteEnd(
    stream: MessageStream | TickStream | TypingStream | ChangeStream,
    subscription: Subscription,
  ): Subscription {
    const ended = subscription.ended.then((ending) => {
      stream.end = { atMs: nowMs(), ...ending }
      return ending
    })
    return { ...subscription, ended }
  }

  return {
    client,
    userId,
    send,
    bound,
    page,
    ticks,
    change,
    group,
    probe,
    follow,
    followTicks,
    followTyping,
    typing,
    followChanges,
    close: connection.close,
  }
}

type TicksAnswer = { conversation: { lastSeq: number; ticks: TicksSeen[] } | null }
type RestMessage = Omit<MessageSeen, 'clientMessageId'> & { clientMessageId: string }

const notAnswered: Outcome<never> = { lost: { reason: 'not asked' } }
const notFound: Outcome<never> = { refused: { code: 'NOT_FOUND', retryable: false, message: 'conversation is null' } }

export function mapAnswer<T, U>(outcome: Outcome<T>, map: (answer: T) => U): Outcome<U> {
  return 'answer' in outcome ? { answer: map(outcome.answer) } : outcome
}

export const seen = (message: MessageFieldsFragment): MessageSeen => ({
  conversationId: message.conversationId,
  seq: message.seq,
  id: message.id,
  messageId: message.messageId,
  senderId: message.sender.id,
  body: message.body,
  clientMessageId: message.clientMessageId ?? null,
  look: {
    edited: message.editedAt != null,
    deleted: message.deletedAt != null,
    reactions: Object.fromEntries(message.reactions.map(({ emoji, count }) => [emoji, count])),
  },
})

const seenByRest = ({
  conversationId,
  seq,
  id,
  messageId,
  senderId,
  body,
  clientMessageId,
}: RestMessage): MessageSeen => ({
  conversationId,
  seq,
  id,
  messageId,
  senderId,
  body,
  clientMessageId,
})
