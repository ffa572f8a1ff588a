import { randomUUID } from 'node:crypto'
import type { ChatOptions, OpenChat } from './small-chat.ts'

// The chat for clients that have no cache: it keeps the list itself. How it asks and how it follows streams is up to the client.

// biome-ignore lint/suspicious/noExplicitAny: what a document asks for is in the document.
export type Data = any
export type Variables = Record<string, unknown>
export type Wire = {
  ask(query: string, variables: Variables): Promise<Data>
  /** Clients that only ask have none. */
  follow?(query: string, variables: Variables, onData: (data: Data) => void): void
  close(): void | Promise<void>
}

type Message = { id: string; seq: number; conversationId: string; body: string; tick: string; sender: { id: string } }

const message = 'id seq conversationId body tick sender { id }'
const documents = {
  page: `query ($conversationId: ID!, $after: String) {
    messages(conversationId: $conversationId, first: 10, after: $after) {
      edges { node { ${message} } } pageInfo { hasNextPage endCursor } } }`,
  chats: '{ conversations(first: 20) { edges { node { unreadCount lastMessage { body } } } } }',
  send: `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { ${message} } } }`,
  edit: `mutation ($input: EditMessageInput!) { editMessage(input: $input) { message { ${message} } } }`,
  added: `subscription ($after: [PositionInput!]) { messageAdded(after: $after) { message { ${message} } } }`,
  changed: `subscription ($after: [PositionInput!]) { messageChanged(after: $after) { seq message { ${message} } } }`,
  ticks:
    'subscription ($conversationId: ID) { ticksChanged(conversationId: $conversationId) { conversation { deliveredSeq readSeq } } }',
  chatUpdated: 'subscription { conversationUpdated { removedConversationId } }',
}

export const openPlainChat =
  (connect: (options: ChatOptions, onReconnected: () => void) => Wire): OpenChat =>
  async (options) => {
    const { userId, conversationId, show, notify } = options
    const wire = connect(options, () => void readChats())
    const messages = new Map<number, Message>()
    let others = { deliveredSeq: 0, readSeq: 0 }
    let pageInfo = { hasNextPage: true, endCursor: null }

    const tickOf = ({ seq, tick }: Message) =>
      seq <= others.readSeq ? 'READ' : seq <= others.deliveredSeq ? 'DELIVERED' : tick
    const lineOf = (each: Message) =>
      `${each.sender.id}: ${each.body}${each.sender.id === userId ? ` (${tickOf(each)})` : ''}`
    function keep(...more: Message[]) {
      for (const each of more) if (each.conversationId === conversationId) messages.set(each.seq, each)
      show({ messages: [...messages.values()].sort((one, other) => one.seq - other.seq).map(lineOf) })
    }
    async function loadOlder() {
      const { edges, pageInfo: next } = (await wire.ask(documents.page, { conversationId, after: pageInfo.endCursor }))
        .messages
      pageInfo = next
      keep(...edges.map(({ node }: { node: Message }) => node))
    }
    async function readChats() {
      // If the connection is lost before the answer, the list is read again with the next connection.
      const answer = await wire.ask(documents.chats, {}).catch(() => undefined)
      if (!answer) return
      show({
        chats: answer.conversations.edges.map(
          ({ node }: Data) => `${node.lastMessage?.body} (${node.unreadCount} unread)`,
        ),
      })
    }

    await loadOlder()
    const after = [{ conversationId, seq: Math.max(...messages.keys()) }]
    wire.follow?.(documents.added, { after }, ({ messageAdded: { message } }) => {
      if (message.sender.id !== userId) notify(lineOf(message))
      keep(message)
    })
    wire.follow?.(documents.changed, { after }, ({ messageChanged }) => {
      if (messages.has(messageChanged.message.seq)) keep(messageChanged.message)
    })
    wire.follow?.(documents.ticks, { conversationId }, ({ ticksChanged }) => {
      others = ticksChanged.conversation
      keep()
    })
    wire.follow?.(documents.chatUpdated, {}, () => void readChats())

    return {
      loadOlder,
      async send(body) {
        const input = { clientMessageId: randomUUID(), to: { conversationId }, body }
        keep((await wire.ask(documents.send, { input })).sendMessage.message)
      },
      async edit(seq, body) {
        const input = { conversationId, seq, body, clientMessageId: randomUUID() }
        keep((await wire.ask(documents.edit, { input })).editMessage.message)
      },
      close: async () => wire.close(),
    }
  }
