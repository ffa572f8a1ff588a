import { type PendingMessage, pendingSend, pendingSeq } from './caches/pending-message.ts'
import { tickOfOwn } from './caches/tick-of-own.ts'

// For `new InMemoryCache({ typePolicies })` of Apollo Client. Objects with an id are found by Apollo itself. What it has to be told: how
// pages of a list go together, that a message belongs into the list of its conversation however it came, and what a tick depends on.
// Apollo's types are not imported: the package works without Apollo, and with each of its versions that has these few functions.

export { isPending } from './caches/pending-message.ts'

// biome-ignore lint/suspicious/noExplicitAny: a value in Apollo's cache may be anything.
type Any = any
type ReadField = (fieldName: string, from?: Any) => Any
type Options = {
  args: Record<string, Any> | null
  readField: ReadField
  cache: { modify(options: Any): boolean; identify(object: Any): string | undefined; writeQuery(options: Any): Any }
}
type List = { edges: readonly Any[]; pageInfo?: Any }

/** Puts edges together: each message once, newest first. */
function inOrder(edges: readonly Any[], readField: ReadField): Any[] {
  const seqOf = (edge: Any): number => readField('seq', readField('node', edge))
  const bySeq = new Map(edges.map((edge) => [seqOf(edge), edge]))
  return [...bySeq].sort(([one], [other]) => other - one).map(([, edge]) => edge)
}

// Messages that wait for their answer stand beside the lists, in a field of the cache alone. An optimistic change of a list itself would
// hide what comes into the list until the answer is there.
const name = { kind: 'Name', value: 'pendingMessages' }
const selectionSet = { kind: 'SelectionSet', selections: [{ kind: 'Field', name }] }
const pendingQuery = {
  kind: 'Document',
  definitions: [{ kind: 'OperationDefinition', operation: 'query', selectionSet }],
}
const pendingIn = (readField: ReadField): Any[] => readField(name.value, { __ref: 'ROOT_QUERY' }) ?? []

/** A list of messages. Pages around a seq, or from the oldest end, are lists of their own, and so are those with notices. */
const messageList = (keyArgs: string[], conversationIdOf: (options: Options) => string) => ({
  keyArgs: [...keyArgs, 'aroundSeq', 'last', 'notices'],
  merge(existing: List | undefined, incoming: List, { args, readField }: Options): List {
    if (!existing) return incoming
    const { pageInfo } = args?.after ? incoming : existing
    return { ...incoming, edges: inOrder([...existing.edges, ...incoming.edges], readField), pageInfo }
  },
  read(existing: List | undefined, options: Options): List | undefined {
    const { readField } = options
    const pending = existing && pendingIn(readField)
    if (!pending?.length) return existing
    const fieldOf = (edge: Any, name: string) => readField(name, readField('node', edge))
    // The stream may bring the message before its answer comes.
    const arrived = new Set(existing?.edges.map((edge) => fieldOf(edge, 'clientMessageId')))
    const shown = pending.filter(
      (edge) =>
        fieldOf(edge, 'conversationId') === conversationIdOf(options) && !arrived.has(fieldOf(edge, 'clientMessageId')),
    )
    return existing && { ...existing, edges: [...shown.reverse(), ...existing.edges] }
  },
})

/** Adds a message to the lists of its conversation that are loaded. A notice belongs into lists with notices alone. */
function addMessage(edge: Any, { cache, readField }: Options): void {
  const node = readField('node', edge)
  const conversationId = readField('conversationId', node)
  const isNotice = readField('kind', node) === 'NOTICE' || Boolean(readField('notice', node))
  const add = (id: string | undefined) => ({
    messages: (list: List, { storeFieldName }: { storeFieldName: string }) => {
      const args = JSON.parse(storeFieldName.slice('messages:'.length) || '{}')
      const isWhole = args.conversationId === id && args.aroundSeq == null && args.last == null
      const belongs = isWhole && (args.notices || !isNotice)
      return belongs ? { ...list, edges: inOrder([...list.edges, edge], readField) } : list
    },
  })
  cache.modify({ fields: add(conversationId) })
  cache.modify({ id: cache.identify({ __typename: 'Conversation', id: conversationId }), fields: add(undefined) })
}

const sameNode = (edge: Any, readField: ReadField) => (other: Any) =>
  readField('id', readField('node', other)) === readField('id', readField('node', edge))

/** The chat list, latest activity first. */
const conversationList = {
  keyArgs: ['filter'],
  merge(existing: List | undefined, incoming: List, { args, readField }: Options): List {
    if (!existing) return incoming
    const kept = existing.edges.filter((edge) => !incoming.edges.some(sameNode(edge, readField)))
    const { pageInfo } = args?.after ? incoming : existing
    return { ...incoming, edges: [...kept, ...incoming.edges], pageInfo }
  },
  read(existing: List | undefined, { readField }: Options): List | undefined {
    const activityOf = (edge: Any): string => readField('lastActivityAt', readField('node', edge)) ?? ''
    const later = (one: Any, other: Any) => (activityOf(one) < activityOf(other) ? 1 : -1)
    return existing && { ...existing, edges: [...existing.edges].sort(later) }
  },
}

/** A conversation that is new comes into the whole list; one that is gone goes from all lists. */
function updateConversations(event: Any, { cache, readField }: Options): void {
  const [edge, removedId] = [readField('conversationEdge', event), readField('removedConversationId', event)]
  const conversations = (list: List, { storeFieldName }: { storeFieldName: string }): List => {
    const edges = list.edges.filter((other) => readField('id', readField('node', other)) !== removedId)
    const isNew = edge && storeFieldName === 'conversations:{}' && !edges.some(sameNode(edge, readField))
    return { ...list, edges: isNew ? [edge, ...edges] : edges }
  }
  cache.modify({ fields: { conversations } })
}

/** Answers may overtake each other; boundaries only rise. */
const rising = { merge: (existing: number | undefined, incoming: number) => Math.max(existing ?? 0, incoming) }
const replaced = { merge: false as const }

export const typePolicies = {
  Query: {
    fields: {
      messages: messageList(['conversationId'], ({ args }) => args?.conversationId),
      conversations: conversationList,
    },
  },
  Conversation: {
    fields: {
      messages: messageList([], ({ readField }) => readField('id')),
      deliveredSeq: rising,
      readSeq: rising,
      members: replaced,
      memberships: replaced,
      ticks: replaced,
    },
  },
  Ticks: { fields: { lastDeliveredSeq: rising, lastReadSeq: rising } },
  Message: {
    fields: {
      attachments: replaced,
      reactions: replaced,
      tick(said: Any, { readField }: Options) {
        // Only the viewer's own messages have it.
        if (!said || !readField('clientMessageId')) return said
        const conversation = { __ref: `Conversation:${readField('conversationId')}` }
        const [deliveredSeq, readSeq] = [readField('deliveredSeq', conversation), readField('readSeq', conversation)]
        return tickOfOwn(readField('seq'), said, { deliveredSeq, readSeq })
      },
    },
  },
  Mutation: {
    fields: {
      sendMessage: {
        merge(_existing: Any, incoming: Any, options: Options) {
          const { cache, readField } = options
          const edge = readField('messageEdge', incoming)
          if (!edge) return incoming
          if (readField('seq', readField('node', edge)) !== pendingSeq) addMessage(edge, options)
          else cache.writeQuery({ query: pendingQuery, data: { [name.value]: [...pendingIn(readField), edge] } })
          return incoming
        },
      },
    },
  },
  Subscription: {
    fields: {
      messageAdded: {
        keyArgs: false as const,
        merge(_existing: Any, incoming: Any, options: Options) {
          const edge = options.readField('messageEdge', incoming)
          if (edge) addMessage(edge, options)
          return incoming
        },
      },
      conversationUpdated: {
        merge(_existing: Any, incoming: Any, options: Options) {
          updateConversations(incoming, options)
          return incoming
        },
      },
    },
  },
}

/** The `optimisticResponse` of a `sendMessage`. */
export const optimisticSend = (message: PendingMessage) => ({ sendMessage: pendingSend(message) })
