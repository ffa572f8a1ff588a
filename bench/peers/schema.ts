// The part of our API that is measured, for those who serve it in another way.

export const typeDefs = /* GraphQL */ `
  type Query {
    messages(conversationId: ID!, first: Int, after: String, last: Int): MessageConnection!
    "The same, from the memory of the process: what the server costs without a store."
    messagesInMemory(first: Int): MessageConnection!
  }
  type Mutation {
    sendMessage(input: SendMessageInput!): SendMessagePayload!
    ack(input: AckInput!): AckPayload!
    setTyping(input: SetTypingInput!): SetTypingPayload!
  }
  type Subscription {
    messageAdded(conversationId: ID): MessageAddedPayload!
    ticksChanged(conversationId: ID): Ticks!
  }
  input RecipientInput { userId: ID  conversationId: ID }
  input SendMessageInput { clientMessageId: ID!  to: RecipientInput!  body: String! }
  input AckInput { conversationId: ID!  seq: Int! }
  input SetTypingInput { conversationId: ID!  typing: Boolean! }
  type SendMessagePayload { message: Message!  duplicate: Boolean! }
  type AckPayload { ticks: Ticks! }
  type SetTypingPayload { ok: Boolean! }
  type MessageAddedPayload { message: Message!  cursor: String!  previousSeq: Int!  catchUp: Boolean! }
  type Ticks { conversationId: ID!  userId: ID!  lastDeliveredSeq: Int!  lastReadSeq: Int! }
  type User { id: ID! }
  type Message { id: ID!  conversationId: ID!  seq: Int!  messageId: String!  sender: User!  body: String!  sentAt: String! }
  type MessageEdge { cursor: String!  node: Message! }
  type MessageConnection { edges: [MessageEdge!]!  pageInfo: PageInfo! }
  type PageInfo { hasNextPage: Boolean!  hasPreviousPage: Boolean!  startCursor: String  endCursor: String }
`

export type Message = {
  id: string
  conversationId: string
  seq: number
  messageId: string
  sender: { id: string }
  body: string
  sentAt: string
}

export type SendInput = { clientMessageId: string; to: { conversationId: string }; body: string }
export type AckInput = { conversationId: string; seq: number }

/** As long as ours, which are signed. */
const cursorOf = (seq: number): string => Buffer.from(String(seq).padStart(24)).toString('base64url')

export function messageOf(conversationId: string, seq: number, senderId: string, body: string): Message {
  const sentAt = new Date()
  return {
    id: `msg_${conversationId}_${seq}`,
    conversationId,
    seq,
    messageId: String(sentAt.getTime() * 4096),
    sender: { id: senderId },
    body,
    sentAt: sentAt.toISOString(),
  }
}

export const addedOf = (message: Message) => ({
  message,
  cursor: cursorOf(message.seq),
  previousSeq: message.seq - 1,
  catchUp: false,
})

export function connectionOf(messages: readonly Message[]) {
  const edges = messages.map((node) => ({ cursor: cursorOf(node.seq), node }))
  const pageInfo = {
    hasNextPage: true,
    hasPreviousPage: false,
    startCursor: edges[0]?.cursor,
    endCursor: edges.at(-1)?.cursor,
  }
  return { edges, pageInfo }
}

const kept = Array.from({ length: 100 }, (_, i) => messageOf('memory', 100 - i, 'somebody', 'x'.repeat(110)))

export const fromMemory = (first: number) => connectionOf(kept.slice(0, first))
