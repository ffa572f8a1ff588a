import { resuming } from '@parley/client/resuming'
import { cacheConfig, isPending } from '@parley/client/urql'
import { Client, gql, subscriptionExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import { createClient, type Sink } from 'graphql-ws'
import { WebSocket } from 'ws'

type Message = { seq: number; body: string; tick: string; sender: { id: string } }
type Edge<Node> = { cursor: string; node: Node }
type Page<Node> = { edges: Edge<Node>[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } }
type Chat = { id: string; unreadCount: number; lastMessage: { body: string } | null }
type Position = { conversationId: string; seq: number }
type Change = { conversationId: string; clientMessageId: string; body: string }

const messageFields = gql`
  fragment MessageFields on Message {
    id
    conversationId
    seq
    clientMessageId
    body
    tick
    sender { id }
  }
`
const messagesQuery = gql<{ messages: Page<Message> }, { conversationId: string; after?: string | null }>`
  query Messages($conversationId: ID!, $after: String) {
    messages(conversationId: $conversationId, first: 10, after: $after) {
      edges { cursor node { ...MessageFields } }
      pageInfo { hasNextPage endCursor }
    }
  }
  ${messageFields}
`
const chatFields = gql`
  fragment ChatFields on Conversation {
    id
    lastActivityAt
    unreadCount
    lastMessage { id body }
  }
`
const chatsQuery = gql<{ conversations: Page<Chat> }>`
  query Chats {
    conversations(first: 20) {
      edges { cursor node { ...ChatFields } }
      pageInfo { hasNextPage endCursor }
    }
  }
  ${chatFields}
`
const chatUpdated = gql`
  subscription ChatUpdated {
    conversationUpdated { conversationEdge { cursor node { ...ChatFields } } removedConversationId }
  }
  ${chatFields}
`
const messageAdded = gql<{ messageAdded: { messageEdge: Edge<Message & Position> } }, { after: Position[] }>`
  subscription MessageAdded($after: [PositionInput!]) {
    messageAdded(after: $after) { messageEdge { cursor node { ...MessageFields } } }
  }
  ${messageFields}
`
const messageChanged = gql`
  subscription MessageChanged($after: [PositionInput!]) {
    messageChanged(after: $after) { seq message { ...MessageFields } }
  }
  ${messageFields}
`
const ticksChanged = gql`
  subscription TicksChanged($conversationId: ID!) {
    ticksChanged(conversationId: $conversationId) { id conversation { id deliveredSeq readSeq } }
  }
`
const sendMessage = gql<object, { input: { clientMessageId: string; to: object; body: string } }>`
  mutation Send($input: SendMessageInput!) {
    sendMessage(input: $input) { messageEdge { cursor node { ...MessageFields } } }
  }
  ${messageFields}
`
const editMessage = gql<object, { input: Change & Position }>`
  mutation Edit($input: EditMessageInput!) { editMessage(input: $input) { message { ...MessageFields } } }
  ${messageFields}
`
const ack = gql<object, { input: Position }>`
  mutation Ack($input: AckInput!) { ack(input: $input) { ticks { id lastDeliveredSeq } } }
`

export type ChatOptions = {
  url: string
  token: () => string | Promise<string>
  userId: string
  conversationId: string
  show: (what: { messages?: string[]; chats?: string[] }) => void
  notify: (message: string) => void
}

export async function openChat({ url, token, userId, conversationId, show, notify }: ChatOptions) {
  const socket = createClient(
    resuming({
      url,
      webSocketImpl: WebSocket, // Node 20 has none. Leave it out in a browser.
      connectionParams: async () => ({ authorization: `Bearer ${await token()}` }),
      // The stream of chats tells nothing of what was missed, so the list is read again.
      on: { connected: (_socket, _payload, again) => again && void readChatsAgain() },
    }),
  )
  const client = new Client({
    url,
    exchanges: [
      cacheExchange(cacheConfig({ id: userId })),
      subscriptionExchange({
        enableAllOperations: true,
        forwardSubscription: ({ query = '', variables = {} }) => ({
          subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables }, sink as Sink) }),
        }),
      }),
    ],
  })
  const readChatsAgain = () => client.query(chatsQuery, {}, { requestPolicy: 'network-only' }).toPromise()

  const lineOf = (message: Message) =>
    message.sender.id === userId
      ? `${userId}: ${message.body} (${isPending(message) ? 'sending' : message.tick})`
      : `${message.sender.id}: ${message.body}`
  const titleOf = ({ lastMessage, unreadCount }: Chat) => `${lastMessage?.body} (${unreadCount} unread)`

  const { data: firstPage } = await client.query(messagesQuery, { conversationId }).toPromise()
  let pageInfo = firstPage?.messages.pageInfo
  const queries = [
    client.query(messagesQuery, { conversationId }).subscribe(({ data }) => {
      if (!data) return
      pageInfo = data.messages.pageInfo
      show({ messages: data.messages.edges.map(({ node }) => lineOf(node)).reverse() })
    }),
    client.query(chatsQuery, {}).subscribe(({ data }) => {
      if (data) show({ chats: data.conversations.edges.map(({ node }) => titleOf(node)) })
    }),
  ]

  // The first page says where the streams begin: nothing falls between the two, whoever acks it.
  const after = [{ conversationId, seq: firstPage?.messages.edges[0]?.node.seq ?? 0 }]
  const streams = [
    client.subscription(messageAdded, { after }).subscribe(({ data }) => {
      const message = data?.messageAdded.messageEdge.node
      if (!message || message.sender.id === userId) return
      notify(lineOf(message))
      const { conversationId, seq } = message
      void client.mutation(ack, { input: { conversationId, seq } }).toPromise()
    }),
    client.subscription(messageChanged, { after }).subscribe(() => undefined),
    client.subscription(ticksChanged, { conversationId }).subscribe(() => undefined),
    client.subscription(chatUpdated, {}).subscribe(() => undefined),
  ]

  return {
    async loadOlder() {
      if (pageInfo?.hasNextPage)
        await client.query(messagesQuery, { conversationId, after: pageInfo.endCursor }).toPromise()
    },
    async send(body: string) {
      const input = { clientMessageId: crypto.randomUUID(), to: { conversationId }, body }
      const { error } = await client.mutation(sendMessage, { input }).toPromise()
      if (error) throw error
    },
    async edit(seq: number, body: string) {
      const input = { conversationId, seq, body, clientMessageId: crypto.randomUUID() }
      const { error } = await client.mutation(editMessage, { input }).toPromise()
      if (error) throw error
    },
    async close() {
      for (const each of [...queries, ...streams]) each.unsubscribe()
      await socket.dispose()
    },
  }
}
