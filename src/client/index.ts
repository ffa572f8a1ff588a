// What an application imports as `parley/client`.

export { type Chat, type ChatOptions, createChat } from './chat.ts'
export { ClientError, type ClientErrorCode } from './client-error.ts'
export type { Connection, ConnectionState } from './connection.ts'
export type { ConversationsState } from './conversations.ts'
export type {
  AttachmentFieldsFragment,
  ConversationFieldsFragment,
  MessageFieldsFragment,
  TicksFieldsFragment,
} from './generated/graphql.ts'
export type { Insist } from './insist.ts'
export type { Ask, Follow, Via } from './link/link.ts'
export type { Network } from './network.ts'
export type { Observable } from './observable.ts'
export type { Outgoing, Recipient, Sending } from './outbox.ts'
export type { LinkListener } from './session.ts'
export { indexedDbStorage } from './storage/indexed-db-storage.ts'
export { memoryStorage } from './storage/memory-storage.ts'
export type { Storage } from './storage/storage.ts'
export type { TicksState } from './ticks.ts'
export type { Timeline, TimelineEntry, TimelineState } from './timelines.ts'
