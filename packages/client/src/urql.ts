import { type PendingMessage, pendingSend, pendingSeq } from './caches/pending-message.ts'
import { tickOfOwn } from './caches/tick-of-own.ts'

// For `cacheExchange(cacheConfig(viewer))` of @urql/exchange-graphcache. Its types are not imported: the package works without urql.
//
// The messages of a conversation that are loaded stand in one field of the cache, `loadedMessages`, newest first: pages, messages that were
// sent and live ones all go there. Those that wait for their answer stand beside it, so that an optimistic change does not hide what comes
// meanwhile. The chat list has `loadedConversations` in the same way.

export { isPending } from './caches/pending-message.ts'

// biome-ignore lint/suspicious/noExplicitAny: a value in the cache of urql may be anything.
type Any = any
type Args = Record<string, Any>
type Cache = {
  resolve(entity: Any, field: string, args?: Any): Any
  link(entity: Any, field: string, args: Any, link: Any): void
  keyOfEntity(entity: Any): string | null
}
type Info = { parentKey: string; fieldName: string }

const loaded = (cache: Cache, field: string, args: Args): string[] => cache.resolve('Query', field, args) ?? []
const nodeField = (cache: Cache, edge: string, field: string): Any => cache.resolve(cache.resolve(edge, 'node'), field)

/** Lists with notices are lists of their own. */
type List = { conversationId: string; notices: boolean }

function addMessages(cache: Cache, list: List, edges: readonly Any[]): void {
  const known = loaded(cache, 'loadedMessages', list)
  const all = [...new Set([...known, ...edges.map((edge) => cache.keyOfEntity(edge) ?? '')])]
  const seqOf = (edge: string): number => nodeField(cache, edge, 'seq')
  const newestFirst = all.sort((one, other) => seqOf(other) - seqOf(one))
  cache.link('Query', 'loadedMessages', list, newestFirst)
}

function addMessage(cache: Cache, edge: Any): void {
  if (!edge) return
  const { conversationId, seq, kind, notice } = edge.node
  if (seq === pendingSeq) {
    const pending = [...loaded(cache, 'pendingMessages', { conversationId }), cache.keyOfEntity(edge)]
    cache.link('Query', 'pendingMessages', { conversationId }, pending)
    return
  }
  const isNotice = kind === 'NOTICE' || Boolean(notice)
  for (const notices of isNotice ? [true] : [true, false]) addMessages(cache, { conversationId, notices }, [edge])
}

/** Pages around a seq, or from the oldest end, are lists of their own. */
const isWhole = ({ aroundSeq, last }: Args): boolean => aroundSeq == null && last == null

/** Lists of messages hang on `Query` or on a conversation. */
const listOf = ({ conversationId, notices }: Args, { parentKey }: Info): List => ({
  conversationId: conversationId ?? parentKey.slice('Conversation:'.length),
  notices: notices ?? false,
})

/** Takes a page into the list of its conversation. The page that was loaded last by its cursor says whether the list goes on. */
function takePage(parent: Any, args: Args, cache: Cache, info: Info): void {
  if (!isWhole(args) || !parent.messages) return
  const list = listOf(args, info)
  addMessages(cache, list, parent.messages.edges)
  if (args.after || !cache.resolve('Query', 'oldestPage', list))
    cache.link('Query', 'oldestPage', list, cache.resolve(info.parentKey, 'messages', args))
}

function showMessages(_parent: Any, args: Args, cache: Cache, info: Info): Any {
  const page = cache.resolve(info.parentKey, 'messages', args)
  if (!page || !isWhole(args)) return page
  const list = listOf(args, info)
  const { conversationId } = list
  const stored = loaded(cache, 'loadedMessages', list)
  const idOf = (edge: string): Any => nodeField(cache, edge, 'clientMessageId')
  // The stream may bring a message before its answer comes.
  const waiting = loaded(cache, 'pendingMessages', { conversationId }).filter(
    (pending) => !stored.some((edge) => idOf(edge) === idOf(pending)),
  )
  const pageInfo = cache.resolve(cache.resolve('Query', 'oldestPage', list), 'pageInfo')
  return { __typename: 'MessageConnection', edges: [...waiting.reverse(), ...stored], pageInfo }
}

const linkChats = (cache: Cache, edges: readonly Any[]): void =>
  cache.link('Query', 'loadedConversations', {}, [...new Set(edges)])

/** The first page begins the list anew, so that chats which are gone leave it. */
function takeChats(parent: Any, args: Args, cache: Cache, { parentKey }: Info): void {
  if (args.filter || !parent.conversations) return
  const page = parent.conversations.edges.map((edge: Any) => cache.keyOfEntity(edge))
  linkChats(cache, args.after ? [...loaded(cache, 'loadedConversations', {}), ...page] : page)
  cache.link('Query', 'oldestChats', {}, cache.resolve(parentKey, 'conversations', args))
}

function showChats(_parent: Any, args: Args, cache: Cache, { parentKey }: Info): Any {
  const page = cache.resolve(parentKey, 'conversations', args)
  if (!page || args.filter) return page
  const activityOf = (edge: string): string => nodeField(cache, edge, 'lastActivityAt') ?? ''
  const later = (one: string, other: string) => (activityOf(one) < activityOf(other) ? 1 : -1)
  const edges = [...loaded(cache, 'loadedConversations', {})].sort(later)
  const pageInfo = cache.resolve(cache.resolve('Query', 'oldestChats', {}), 'pageInfo')
  return { __typename: 'ConversationConnection', edges, pageInfo }
}

function updateChats({ conversationUpdated: event }: Any, _args: Args, cache: Cache): void {
  const gone = `ConversationEdge:${event.removedConversationId}`
  const edges = loaded(cache, 'loadedConversations', {}).filter((edge) => edge !== gone)
  linkChats(cache, event.conversationEdge ? [cache.keyOfEntity(event.conversationEdge), ...edges] : edges)
}

function tick(parent: Any, _args: Args, cache: Cache, { parentKey }: Info): Any {
  const [said, seq] = [cache.resolve(parentKey, 'tick'), cache.resolve(parentKey, 'seq')]
  // Only the viewer's own messages have it.
  if (!said || !cache.resolve(parentKey, 'clientMessageId')) return said ?? parent.tick
  const conversation = `Conversation:${cache.resolve(parentKey, 'conversationId')}`
  const boundaryOf = (field: string): number | undefined => cache.resolve(conversation, field) ?? undefined
  return tickOfOwn(seq, said, { deliveredSeq: boundaryOf('deliveredSeq'), readSeq: boundaryOf('readSeq') })
}

/** Types without an id of their own. */
const embedded = [
  ...[
    'AckPayload',
    'ConversationPayload',
    'ConversationUpdatedPayload',
    'CreateUploadPayload',
    'LeaveConversationPayload',
  ],
  ...['MarkReadPayload', 'MessageAddedPayload', 'MessageChangedPayload', 'MessagePayload', 'RegisterDevicePayload'],
  'ReportPayload',
  ...['SendMessagePayload', 'SetBlockedPayload', 'SetTypingPayload', 'UnregisterDevicePayload', 'UpdateProfilePayload'],
  ...['ConversationConnection', 'MessageConnection', 'UserConnection', 'UserEdge', 'PageInfo'],
  ...['HeaderPair', 'Presence', 'Reaction', 'Typing'],
]

/** The configuration of graphcache. The viewer is whom messages are shown to be from while they wait to be stored. */
export function cacheConfig(viewer: PendingMessage['sender']) {
  const ofNode = (edge: Any): string => edge.node.id
  return {
    keys: {
      ...Object.fromEntries(embedded.map((name) => [name, () => null])),
      MessageEdge: ofNode,
      ConversationEdge: ofNode,
    },
    resolvers: {
      Query: { messages: showMessages, conversations: showChats },
      Conversation: { messages: showMessages },
      Message: { tick },
    },
    updates: {
      Query: { messages: takePage, conversations: takeChats },
      Conversation: { messages: takePage },
      Mutation: {
        sendMessage: ({ sendMessage }: Any, _: Args, cache: Cache) => addMessage(cache, sendMessage.messageEdge),
      },
      Subscription: {
        messageAdded: ({ messageAdded }: Any, _: Args, cache: Cache) => addMessage(cache, messageAdded.messageEdge),
        conversationUpdated: updateChats,
      },
    },
    optimistic: {
      sendMessage: ({ input }: Args) =>
        pendingSend({ ...input, conversationId: input.to.conversationId, sender: viewer }),
    },
  }
}
