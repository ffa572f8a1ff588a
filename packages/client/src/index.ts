// Applications import this as `@parley/client`.

export { type Chat, type ChatOptions, createChat } from './chat.ts'
export type {
  AttachmentFieldsFragment,
  ConversationFieldsFragment,
  MessageFieldsFragment,
  NoticeFieldsFragment,
  TicksFieldsFragment,
} from './generated/graphql.ts'
export type { Connection, ConnectionState } from './link/connection.ts'
export type { Ask, Follow, TypedDocument, Via } from './link/link.ts'
export type { LinkListener } from './link/session.ts'
export { ClientError, type ClientErrorCode } from './shared/client-error.ts'
export type { Network } from './shared/network.ts'
export type { Observable } from './shared/observable.ts'
export type { RetryUntilAnswered as Insist } from './shared/retry-until-answered.ts'
export type { ConversationsState } from './state/conversations.ts'
export type { Outgoing, Recipient, Sending } from './state/outbox.ts'
export type { TicksState } from './state/ticks.ts'
export type { Timeline, TimelineEntry, TimelineMessage, TimelineState } from './state/timelines.ts'
export { indexedDbStorage } from './storage/indexed-db-storage.ts'
export { memoryStorage } from './storage/memory-storage.ts'
export type { Storage } from './storage/storage.ts'
