import { createUpdaters, getDataID, isPending } from '@parley/client/relay'
import { resuming } from '@parley/client/resuming'
import { createClient, type Sink } from 'graphql-ws'
import {
  ConnectionHandler,
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  type GraphQLResponse,
  type GraphQLTaggedNode,
  getRequest,
  graphql,
  type MutationParameters,
  Network,
  Observable,
  type OperationType,
  RecordSource,
  type RequestParameters,
  ROOT_ID,
  requestSubscription,
  Store,
  type Variables,
} from 'relay-runtime'
import { WebSocket } from 'ws'
import type { relayChatAckMutation } from './generated/relayChatAckMutation.graphql.ts'
import type { relayChatChatsQuery } from './generated/relayChatChatsQuery.graphql.ts'
import type { relayChatEditMutation } from './generated/relayChatEditMutation.graphql.ts'
import type { relayChatMessageAddedSubscription } from './generated/relayChatMessageAddedSubscription.graphql.ts'
import type { relayChatMessageChangedSubscription } from './generated/relayChatMessageChangedSubscription.graphql.ts'
import type { relayChatMessagesQuery } from './generated/relayChatMessagesQuery.graphql.ts'
import type { relayChatSendMutation } from './generated/relayChatSendMutation.graphql.ts'
import type { relayChatTicksSubscription } from './generated/relayChatTicksSubscription.graphql.ts'
import type { relayChatUpdatedSubscription } from './generated/relayChatUpdatedSubscription.graphql.ts'

graphql`
  fragment relayChat_message on Message {
    id
    conversationId
    seq
    clientMessageId
    body
    tick
    sender { id }
  }
`
graphql`
  fragment relayChat_chat on Conversation {
    id
    lastActivityAt
    unreadCount
    lastMessage { id body }
  }
`
const messagesQuery = graphql`
  query relayChatMessagesQuery($conversationId: ID!, $after: String) {
    messages(conversationId: $conversationId, first: 10, after: $after) @connection(key: "Chat_messages") {
      edges { cursor node { ...relayChat_message @relay(mask: false) } }
      pageInfo { hasNextPage endCursor }
    }
  }
`
const chatsQuery = graphql`
  query relayChatChatsQuery($after: String) {
    conversations(first: 20, after: $after) @connection(key: "Chat_conversations") {
      edges { cursor node { ...relayChat_chat @relay(mask: false) } }
      pageInfo { hasNextPage endCursor }
    }
  }
`
const chatUpdated = graphql`
  subscription relayChatUpdatedSubscription {
    conversationUpdated {
      conversationEdge { cursor node { ...relayChat_chat @relay(mask: false) } }
      removedConversationId
    }
  }
`
const messageAdded = graphql`
  subscription relayChatMessageAddedSubscription($after: [PositionInput!]) {
    messageAdded(after: $after) { messageEdge { cursor node { ...relayChat_message @relay(mask: false) } } }
  }
`
const messageChanged = graphql`
  subscription relayChatMessageChangedSubscription($after: [PositionInput!]) {
    messageChanged(after: $after) { seq message { ...relayChat_message @relay(mask: false) } }
  }
`
const ticksChanged = graphql`
  subscription relayChatTicksSubscription($conversationId: ID!) {
    ticksChanged(conversationId: $conversationId) { id conversation { id deliveredSeq readSeq } }
  }
`
const sendMessage = graphql`
  mutation relayChatSendMutation($input: SendMessageInput!) {
    sendMessage(input: $input) { messageEdge { cursor node { ...relayChat_message @relay(mask: false) } } }
  }
`
const editMessage = graphql`
  mutation relayChatEditMutation($input: EditMessageInput!) {
    editMessage(input: $input) { message { ...relayChat_message @relay(mask: false) } }
  }
`
const ack = graphql`
  mutation relayChatAckMutation($input: AckInput!) { ack(input: $input) { ticks { id lastDeliveredSeq } } }
`

export type ChatOptions = {
  url: string
  token: () => string | Promise<string>
  userId: string
  conversationId: string
  show: (what: { messages?: string[]; chats?: string[] }) => void
  notify: (message: string) => void
}

type Message = relayChatMessagesQuery['response']['messages']['edges'][number]['node']
type Chat = relayChatChatsQuery['response']['conversations']['edges'][number]['node']

export async function openChat({ url, token, userId, conversationId, show, notify }: ChatOptions) {
  const socket = createClient(
    resuming({
      url,
      webSocketImpl: WebSocket, // Node 20 has none. Leave it out in a browser.
      connectionParams: async () => ({ authorization: `Bearer ${await token()}` }),
      // The stream of chats tells nothing of what was missed, so the list is read again.
      on: { connected: (_socket, _payload, again) => again && void read<relayChatChatsQuery>(chatsQuery, {}) },
    }),
  )
  const overSocket = ({ text, name }: RequestParameters, variables: Variables) =>
    Observable.create<GraphQLResponse>((sink) =>
      socket.subscribe({ query: text ?? '', operationName: name, variables }, sink as Sink),
    )
  const environment = new Environment({
    network: Network.create(overSocket, overSocket),
    store: new Store(new RecordSource()),
    getDataID,
  })
  const updaters = createUpdaters({
    messages: (conversationId) => ConnectionHandler.getConnectionID(ROOT_ID, 'Chat_messages', { conversationId }),
    conversations: ConnectionHandler.getConnectionID(ROOT_ID, 'Chat_conversations'),
  })

  const read = <T extends OperationType>(query: GraphQLTaggedNode, variables: T['variables']) =>
    fetchQuery<T>(environment, query, variables).toPromise()
  /** Loads it, and calls back with what the store has of it, now and whenever that changes. */
  async function watch<T extends OperationType>(
    query: GraphQLTaggedNode,
    variables: T['variables'],
    onData: (data: T['response']) => void,
  ) {
    const operation = createOperationDescriptor(getRequest(query), variables)
    environment.retain(operation)
    await read<T>(query, variables)
    const snapshot = environment.lookup(operation.fragment)
    onData(snapshot.data as T['response'])
    environment.subscribe(snapshot, ({ data }) => onData(data as T['response']))
  }
  const commit = <T extends MutationParameters>(
    config: Omit<Parameters<typeof commitMutation<T>>[1], 'onCompleted' | 'onError'>,
  ) =>
    new Promise<void>((resolve, onError) =>
      commitMutation<T>(environment, { ...config, onCompleted: () => resolve(), onError }),
    )

  const lineOf = (message: Message) =>
    message.sender.id === userId
      ? `${userId}: ${message.body} (${isPending(message) ? 'sending' : message.tick})`
      : `${message.sender.id}: ${message.body}`
  const titleOf = ({ lastMessage, unreadCount }: Chat) => `${lastMessage?.body} (${unreadCount} unread)`

  let loaded: relayChatMessagesQuery['response']['messages'] | undefined
  await watch<relayChatMessagesQuery>(messagesQuery, { conversationId }, ({ messages }) => {
    loaded = messages
    show({ messages: messages.edges.map(({ node }) => lineOf(node)).reverse() })
  })
  await watch<relayChatChatsQuery>(chatsQuery, {}, ({ conversations }) =>
    show({ chats: conversations.edges.map(({ node }) => titleOf(node)) }),
  )

  // The first page says where the streams begin: nothing falls between the two, whoever acks it.
  const after = [{ conversationId, seq: loaded?.edges[0]?.node.seq ?? 0 }]
  const streams = [
    requestSubscription<relayChatMessageAddedSubscription>(environment, {
      subscription: messageAdded,
      variables: { after },
      updater: updaters.messageAdded,
      onNext(data) {
        const message = data?.messageAdded.messageEdge.node
        if (!message || message.sender.id === userId) return
        notify(lineOf(message))
        const input = { conversationId: message.conversationId, seq: message.seq }
        // An ack that fails is made good by the next one.
        commit<relayChatAckMutation>({ mutation: ack, variables: { input } }).catch(() => undefined)
      },
    }),
    requestSubscription<relayChatMessageChangedSubscription>(environment, {
      subscription: messageChanged,
      variables: { after },
      updater: updaters.messageChanged,
    }),
    requestSubscription<relayChatTicksSubscription>(environment, {
      subscription: ticksChanged,
      variables: { conversationId },
      updater: updaters.ticksChanged,
    }),
    requestSubscription<relayChatUpdatedSubscription>(environment, {
      subscription: chatUpdated,
      variables: {},
      updater: updaters.conversationUpdated,
    }),
  ]

  return {
    async loadOlder() {
      const { hasNextPage, endCursor } = loaded?.pageInfo ?? {}
      if (hasNextPage) await read<relayChatMessagesQuery>(messagesQuery, { conversationId, after: endCursor })
    },
    async send(body: string) {
      const clientMessageId = crypto.randomUUID()
      await commit<relayChatSendMutation>({
        mutation: sendMessage,
        variables: { input: { clientMessageId, to: { conversationId }, body } },
        updater: updaters.sendMessage,
        optimisticUpdater: updaters.optimisticSend({ clientMessageId, conversationId, body, sender: { id: userId } }),
      })
    },
    async edit(seq: number, body: string) {
      const input = { conversationId, seq, body, clientMessageId: crypto.randomUUID() }
      await commit<relayChatEditMutation>({ mutation: editMessage, variables: { input } })
    },
    async close() {
      for (const stream of streams) stream.dispose()
      await socket.dispose()
    },
  }
}
