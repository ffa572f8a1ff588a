import { type PendingMessage, pendingFields } from './caches/pending-message.ts'
import { tickOfOwn } from './caches/tick-of-own.ts'
import type { Tick } from './protocol/tick.ts'

// For the store of Relay. Its types are not imported: the package works without Relay. A list is a `@connection`; it is named by its id in
// the store, which `ConnectionHandler.getConnectionID` tells.

export { isPending } from './caches/pending-message.ts'

// biome-ignore lint/suspicious/noExplicitAny: a field of Relay's store may hold anything.
type Any = any
type Value = string | number | boolean | null | undefined
type Linked = Proxy | null | undefined
/** A record of Relay's store, as far as it is used here. */
type Proxy = {
  copyFieldsFrom(source: Proxy): void
  getDataID(): string
  getLinkedRecord(name: string): Linked
  getLinkedRecords(name: string): Linked[] | null | undefined
  getValue(name: string): Any
  setLinkedRecord(record: Proxy, name: string): unknown
  setLinkedRecords(records: Proxy[], name: string): unknown
  setValue(value: Value, name: string): unknown
}
// Relay's own types of records depend on the operation, so that no other type fits them.
type Store = { create(id: string, typeName: string): Any; get(id: string): Any }
type PayloadStore = Store & { getRootField(name: Any): Any }

/** Names records by type and id: the id of a user is chosen by your identity provider, and may be one that Relay uses itself. */
export const getDataID = (value: { id?: unknown }, typeName: string): string | undefined =>
  value.id === undefined || value.id === null ? undefined : `${typeName}:${value.id}`

export type Lists = {
  /** The id of the connection with the messages of a conversation. */
  messages: (conversationId: string) => string
  /** The id of the connection with the chats, if the app shows them. */
  conversations?: string
}

/** Updaters for the mutation and the subscriptions of the same names. */
export function createUpdaters(lists: Lists) {
  const listOf = (store: Store, message: Proxy): Linked => store.get(lists.messages(message.getValue('conversationId')))
  function addMessage(store: Store, edge: Linked): void {
    const node = edge?.getLinkedRecord('node')
    if (!edge || !node) return
    turnTick(store, node)
    const list = listOf(store, node)
    if (list) insert(store, list, edge, (one) => -one.getValue('seq'))
  }

  return {
    sendMessage: (store: PayloadStore) =>
      addMessage(store, store.getRootField('sendMessage')?.getLinkedRecord('messageEdge')),
    messageAdded: (store: PayloadStore) =>
      addMessage(store, store.getRootField('messageAdded')?.getLinkedRecord('messageEdge')),
    messageChanged(store: PayloadStore) {
      const message: Linked = store.getRootField('messageChanged')?.getLinkedRecord('message')
      if (message) turnTick(store, message)
    },
    ticksChanged(store: PayloadStore) {
      const conversation: Linked = store.getRootField('ticksChanged')?.getLinkedRecord('conversation')
      const list = conversation && store.get(lists.messages(conversation.getValue('id')))
      for (const node of list ? nodesOf(list) : []) turnTick(store, node)
    },
    conversationUpdated(store: PayloadStore) {
      const event: Linked = store.getRootField('conversationUpdated')
      const list: Linked = lists.conversations === undefined ? undefined : store.get(lists.conversations)
      if (!event || !list) return
      const edge = event.getLinkedRecord('conversationEdge')
      if (edge) insert(store, list, edge, (chat) => -Date.parse(chat.getValue('lastActivityAt')))
      const removedId = event.getValue('removedConversationId')
      const isThere = (each: Proxy) => each.getLinkedRecord('node')?.getValue('id') !== removedId
      if (removedId) list.setLinkedRecords(edgesOf(list).filter(isThere), 'edges')
    },
    /** The `optimisticUpdater` of a `sendMessage`. */
    optimisticSend: (pending: PendingMessage) => (store: Store) => {
      const list: Linked = store.get(lists.messages(pending.conversationId))
      // The stream may bring the message before its answer comes.
      const hasCome = list && nodesOf(list).some((node) => node.getValue('clientMessageId') === pending.clientMessageId)
      if (list && !hasCome) insert(store, list, pendingEdge(store, pending), (one) => -one.getValue('seq'))
    },
  }
}

const edgesOf = (list: Proxy): Proxy[] => (list.getLinkedRecords('edges') ?? []).filter((edge) => !!edge)
const nodesOf = (list: Proxy): Proxy[] => edgesOf(list).flatMap((edge) => edge.getLinkedRecord('node') ?? [])

/** Puts an edge into a list, each node once, and the list in order. */
function insert(store: Store, list: Proxy, edge: Proxy, rank: (node: Proxy) => number): void {
  const node = edge.getLinkedRecord('node')
  if (!node) return
  const others = edgesOf(list).filter((each) => each.getLinkedRecord('node')?.getDataID() !== node.getDataID())
  // The edge of an event is overwritten by the next event, so the list has its own.
  const own = getOrCreate(store, `${list.getDataID()}:${node.getDataID()}`, 'Edge')
  own.copyFieldsFrom(edge)
  const ranked = [own, ...others].map((each) => ({ each, at: rank(each.getLinkedRecord('node') ?? node) }))
  ranked.sort((one, other) => one.at - other.at)
  list.setLinkedRecords(
    ranked.map(({ each }) => each),
    'edges',
  )
}

/** The tick of one of the viewer's own messages rises with the boundaries of its conversation. */
function turnTick(store: Store, message: Proxy): void {
  const said = message.getValue('tick') as Tick | undefined
  const conversation: Linked = store.get(`Conversation:${message.getValue('conversationId')}`)
  if (!said || !conversation || !message.getValue('clientMessageId')) return
  const [deliveredSeq, readSeq] = [conversation.getValue('deliveredSeq'), conversation.getValue('readSeq')]
  message.setValue(tickOfOwn(message.getValue('seq'), said, { deliveredSeq, readSeq }), 'tick')
}

const getOrCreate = (store: Store, id: string, typeName: string): Proxy => store.get(id) ?? store.create(id, typeName)

function pendingEdge(store: Store, pending: PendingMessage): Proxy {
  const fields = pendingFields(pending)
  const node = getOrCreate(store, `Message:${fields.id}`, 'Message')
  for (const [name, value] of Object.entries(fields)) node.setValue(value, name)
  const sender = getOrCreate(store, `User:${pending.sender.id}`, 'User')
  sender.setValue(pending.sender.id, 'id')
  if (pending.sender.name !== undefined) sender.setValue(pending.sender.name, 'name')
  node.setLinkedRecord(sender, 'sender')
  for (const name of ['attachments', 'reactions']) node.setLinkedRecords([], name)
  node.setValue(null, 'replyTo')
  const edge = getOrCreate(store, `MessageEdge:${fields.id}`, 'MessageEdge')
  edge.setValue(fields.cursor, 'cursor')
  edge.setLinkedRecord(node, 'node')
  return edge
}
