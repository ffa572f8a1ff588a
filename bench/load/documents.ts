// What is asked of every GraphQL server here, ours and the others, in the same words.

const message = 'message { id conversationId seq messageId sender { id } body sentAt }'

export const sendMessage = `mutation Send($input: SendMessageInput!) { sendMessage(input: $input) { duplicate message { id seq sentAt } } }`
export const ack = `mutation Ack($input: AckInput!) { ack(input: $input) { ticks { lastDeliveredSeq } } }`
export const setTyping = `mutation Typing($input: SetTypingInput!) { setTyping(input: $input) { ok } }`

const added = `${message} cursor previousSeq catchUp`

export const messageAdded = `subscription Added($conversationId: ID) { messageAdded(conversationId: $conversationId) { ${added} } }`

/** This is for a device that holds something already, or says that it holds nothing. */
export const messageAddedAfter = `subscription After($after: [PositionInput!]) { messageAdded(after: $after) { ${added} } }`

export const ticksChanged = `subscription Ticks($conversationId: ID) { ticksChanged(conversationId: $conversationId) { conversationId userId lastDeliveredSeq lastReadSeq } }`

const page = `edges { cursor node { id conversationId seq messageId sender { id } body sentAt } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`

export const messages = `query Messages($conversationId: ID!, $first: Int, $after: String, $last: Int) { messages(conversationId: $conversationId, first: $first, after: $after, last: $last) { ${page} } }`

/** The client asks for its list in these words. */
export const conversations = `query Chats($first: Int, $after: String) { conversations(first: $first, after: $after) { edges { cursor node { id kind title lastSeq unreadCount members { id name } lastMessage { seq body sentAt sender { id name } } ticks { userId lastDeliveredSeq lastReadSeq } } } pageInfo { hasNextPage endCursor } } }`

export const createGroup = `mutation Group($input: CreateGroupInput!) { createGroup(input: $input) { conversation { id } } }`

/** The text has a length that people write. */
export const body =
  'Shall we meet at the station at a quarter past seven, or is that too early for you? I have the tickets already.'
