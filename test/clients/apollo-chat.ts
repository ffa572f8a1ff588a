import { ApolloClient, gql, InMemoryCache, type TypedDocumentNode } from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { isPending, optimisticSend, typePolicies } from '@parley/client/apollo'
import { resuming } from '@parley/client/resuming'
import { createClient } from 'graphql-ws'
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
const messagesQuery: TypedDocumentNode<{ messages: Page<Message> }, { conversationId: string; after?: string | null }> =
  gql`
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
const chatsQuery: TypedDocumentNode<{ conversations: Page<Chat> }> = gql`
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
const messageAdded: TypedDocumentNode<
  { messageAdded: { messageEdge: Edge<Message & Position> } },
  { after: Position[] }
> = gql`
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
const sendMessage: TypedDocumentNode<object, { input: { clientMessageId: string; to: object; body: string } }> = gql`
  mutation Send($input: SendMessageInput!) {
    sendMessage(input: $input) { messageEdge { cursor node { ...MessageFields } } }
  }
  ${messageFields}
`
const editMessage: TypedDocumentNode<object, { input: Change & Position }> = gql`
  mutation Edit($input: EditMessageInput!) { editMessage(input: $input) { message { ...MessageFields } } }
  ${messageFields}
`
const ack: TypedDocumentNode<object, { input: Position }> = gql`
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
      on: { connected: (_socket, _payload, again) => again && void client.refetchQueries({ include: [chatsQuery] }) },
    }),
  )
  const client = new ApolloClient({ link: new GraphQLWsLink(socket), cache: new InMemoryCache({ typePolicies }) })
  // An ack that fails is made good by the next one.
  const ackUpTo = ({ conversationId, seq }: Position) =>
    client.mutate({ mutation: ack, variables: { input: { conversationId, seq } } }).catch(() => undefined)

  const { data: firstPage } = await client.query({ query: messagesQuery, variables: { conversationId } })
  const messages = client.watchQuery({ query: messagesQuery, variables: { conversationId } })
  const chats = client.watchQuery({ query: chatsQuery })
  const lineOf = (message: Message) =>
    message.sender.id === userId
      ? `${userId}: ${message.body} (${isPending(message) ? 'sending' : message.tick})`
      : `${message.sender.id}: ${message.body}`
  const titleOf = ({ lastMessage, unreadCount }: Chat) => `${lastMessage?.body} (${unreadCount} unread)`
  messages.subscribe(({ data, dataState }) => {
    if (dataState === 'complete') show({ messages: data.messages.edges.map(({ node }) => lineOf(node)).reverse() })
  })
  chats.subscribe(({ data, dataState }) => {
    if (dataState === 'complete') show({ chats: data.conversations.edges.map(({ node }) => titleOf(node)) })
  })

  // The first page says where the streams begin: nothing falls between the two, whoever acks it.
  const seq = firstPage?.messages.edges[0]?.node.seq ?? 0
  const after = [{ conversationId, seq }]
  const streams = [
    client.subscribe({ query: messageAdded, variables: { after } }).subscribe(({ data }) => {
      const message = data?.messageAdded.messageEdge.node
      if (!message || message.sender.id === userId) return
      notify(lineOf(message))
      void ackUpTo(message)
    }),
    client.subscribe({ query: messageChanged, variables: { after } }).subscribe({}),
    client.subscribe({ query: ticksChanged, variables: { conversationId } }).subscribe({}),
    client.subscribe({ query: chatUpdated }).subscribe({}),
  ]

  return {
    async loadOlder() {
      const { pageInfo } = client.readQuery({ query: messagesQuery, variables: { conversationId } })?.messages ?? {}
      if (pageInfo?.hasNextPage) await messages.fetchMore({ variables: { after: pageInfo.endCursor } })
    },
    async send(body: string) {
      const clientMessageId = crypto.randomUUID()
      await client.mutate({
        mutation: sendMessage,
        variables: { input: { clientMessageId, to: { conversationId }, body } },
        optimisticResponse: optimisticSend({ clientMessageId, conversationId, body, sender: { id: userId } }),
      })
    },
    async edit(seq: number, body: string) {
      const clientMessageId = crypto.randomUUID()
      await client.mutate({
        mutation: editMessage,
        variables: { input: { conversationId, seq, body, clientMessageId } },
      })
    },
    async close() {
      for (const stream of streams) stream.unsubscribe()
      client.stop()
      await socket.dispose()
    },
  }
}
