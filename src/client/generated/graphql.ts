/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** How far the caller’s device has got. */
export type AckInput = {
  /** The conversation. */
  conversationId: string;
  /** The device has everything up to and including this; from 1 to lastSeq. */
  seq: number;
};

/** The kinds of conversations. */
export type ConversationKind =
  /** Two people, or one with themselves. Its members never change. */
  | 'DIRECT'
  /** Up to 1,024 people, who come and go. */
  | 'GROUP';

/** A message to delete. */
export type DeleteMessageInput = {
  /** Made on the device before the first attempt, from the same supply as those of messages; every retry carries the same one. */
  clientMessageId: string;
  /** The conversation. */
  conversationId: string;
  /** The seq of the message. */
  seq: number;
};

/** A new text for a message. */
export type EditMessageInput = {
  /** The new text, by the same rules as the first. */
  body: string;
  /** Made on the device before the first attempt, from the same supply as those of messages; every retry carries the same one. */
  clientMessageId: string;
  /** The conversation. */
  conversationId: string;
  /** The seq of the message. */
  seq: number;
};

/** How far the caller has read. */
export type MarkReadInput = {
  /** The conversation. */
  conversationId: string;
  /** Everything up to and including this is read; from 1 to lastSeq. */
  seq: number;
};

/** What a device already holds of a conversation. */
export type PositionInput = {
  /** The conversation. */
  conversationId: string;
  /** The device has everything up to and including this; 0 for nothing. */
  seq: number;
};

/** A reaction to give or to take back. */
export type ReactInput = {
  /** Made on the device before the first attempt, from the same supply as those of messages; every retry carries the same one. */
  clientMessageId: string;
  /** The conversation. */
  conversationId: string;
  /** Exactly one emoji. */
  emoji: string;
  /** True to react, false to take it back. */
  on: boolean;
  /** The seq of the message. */
  seq: number;
};

/** Where a message goes: exactly one of the two. */
export type RecipientInput =
  {   /** A conversation of the sender. */
  conversationId: string; userId?: never; }
  |  { conversationId?: never;   /** A user: the direct chat with them, made by its first message. Oneself: notes to self. */
  userId: string; };

/** A message to send. */
export type SendMessageInput = {
  /** Up to 10 different uploads of the sender’s own, made by `createUpload` within the last 24 hours and uploaded; each goes with one message only. */
  attachmentIds?: Array<string> | null | undefined;
  /** The text: 1 to 4,096 characters, at least one of them visible. With attachments it may be empty. */
  body: string;
  /** Made on the device before the first attempt; every retry carries the same one. 1 to 64 of A-Z a-z 0-9 . _ : - */
  clientMessageId: string;
  /** The seq of the message it answers, in the same conversation. */
  replyToSeq?: number | null | undefined;
  /** Where it goes. */
  to: RecipientInput;
};

/** Whether the caller is writing. */
export type SetTypingInput = {
  /** Where. */
  conversationId: string;
  /** True every few seconds while they write, at most once in two is passed on; false when they stop. */
  typing: boolean;
};

export type EditMessageMutationVariables = Exact<{
  input: EditMessageInput;
}>;


export type EditMessageMutation = { editMessage: { message: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type DeleteMessageMutationVariables = Exact<{
  input: DeleteMessageInput;
}>;


export type DeleteMessageMutation = { deleteMessage: { message: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type ReactMutationVariables = Exact<{
  input: ReactInput;
}>;


export type ReactMutation = { react: { message: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type MessageChangedSubscriptionVariables = Exact<{
  conversationId?: string | null | undefined;
  after?: Array<PositionInput> | PositionInput | null | undefined;
}>;


export type MessageChangedSubscription = { messageChanged: { seq: number, previousSeq: number, catchUp: boolean, message: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type ConversationFieldsFragment = { id: string, kind: ConversationKind, title: string | null, lastSeq: number, unreadCount: number, members: Array<{ id: string, name: string | null }>, lastMessage: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { id: string, name: string | null } };

export type ConversationQueryVariables = Exact<{
  id: string;
}>;


export type ConversationQuery = { conversation: { id: string, kind: ConversationKind, title: string | null, lastSeq: number, unreadCount: number, members: Array<{ id: string, name: string | null }>, lastMessage: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> } | null };

export type ConversationsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ConversationsQuery = { conversations: { edges: Array<{ cursor: string, node: { id: string, kind: ConversationKind, title: string | null, lastSeq: number, unreadCount: number, members: Array<{ id: string, name: string | null }>, lastMessage: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> } }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type MessageFieldsFragment = { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null };

export type SendMessageMutationVariables = Exact<{
  input: SendMessageInput;
}>;


export type SendMessageMutation = { sendMessage: { duplicate: boolean, message: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type MessagesQueryVariables = Exact<{
  conversationId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type MessagesQuery = { messages: { edges: Array<{ cursor: string, node: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type MessageAddedSubscriptionVariables = Exact<{
  conversationId?: string | null | undefined;
  after?: Array<PositionInput> | PositionInput | null | undefined;
}>;


export type MessageAddedSubscription = { messageAdded: { cursor: string, previousSeq: number, catchUp: boolean, message: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type TicksFieldsFragment = { conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number };

export type AckMutationVariables = Exact<{
  input: AckInput;
}>;


export type AckMutation = { ack: { ticks: { conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number } } };

export type MarkReadMutationVariables = Exact<{
  input: MarkReadInput;
}>;


export type MarkReadMutation = { markRead: { ticks: { conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number } } };

export type TicksChangedSubscriptionVariables = Exact<{
  conversationId?: string | null | undefined;
}>;


export type TicksChangedSubscription = { ticksChanged: { conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number } };

export type SetTypingMutationVariables = Exact<{
  input: SetTypingInput;
}>;


export type SetTypingMutation = { setTyping: { ok: boolean } };

export type TypingChangedSubscriptionVariables = Exact<{
  conversationId: string;
}>;


export type TypingChangedSubscription = { typingChanged: { userId: string, typing: boolean } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const MessageFieldsFragmentDoc = new TypedDocumentString(`
    fragment MessageFields on Message {
  id
  conversationId
  seq
  messageId
  clientMessageId
  sender {
    id
    name
  }
  body
  sentAt
  editedAt
  deletedAt
  reactions {
    emoji
    count
    viewerReacted
  }
  replyTo {
    seq
    sender {
      id
      name
    }
    body
    deletedAt
  }
}
    `, {"fragmentName":"MessageFields"}) as unknown as TypedDocumentString<MessageFieldsFragment, unknown>;
export const TicksFieldsFragmentDoc = new TypedDocumentString(`
    fragment TicksFields on Ticks {
  conversationId
  userId
  lastDeliveredSeq
  lastReadSeq
}
    `, {"fragmentName":"TicksFields"}) as unknown as TypedDocumentString<TicksFieldsFragment, unknown>;
export const ConversationFieldsFragmentDoc = new TypedDocumentString(`
    fragment ConversationFields on Conversation {
  id
  kind
  title
  members {
    id
    name
  }
  lastSeq
  unreadCount
  lastMessage {
    ...MessageFields
  }
  ticks {
    ...TicksFields
  }
}
    fragment MessageFields on Message {
  id
  conversationId
  seq
  messageId
  clientMessageId
  sender {
    id
    name
  }
  body
  sentAt
  editedAt
  deletedAt
  reactions {
    emoji
    count
    viewerReacted
  }
  replyTo {
    seq
    sender {
      id
      name
    }
    body
    deletedAt
  }
}
fragment TicksFields on Ticks {
  conversationId
  userId
  lastDeliveredSeq
  lastReadSeq
}`, {"fragmentName":"ConversationFields"}) as unknown as TypedDocumentString<ConversationFieldsFragment, unknown>;
export const EditMessageDocument = new TypedDocumentString(`
    mutation EditMessage($input: EditMessageInput!) {
  editMessage(input: $input) {
    message {
      ...MessageFields
    }
  }
}
    fragment MessageFields on Message {
  id
  conversationId
  seq
  messageId
  clientMessageId
  sender {
    id
    name
  }
  body
  sentAt
  editedAt
  deletedAt
  reactions {
    emoji
    count
    viewerReacted
  }
  replyTo {
    seq
    sender {
      id
      name
    }
    body
    deletedAt
  }
}`) as unknown as TypedDocumentString<EditMessageMutation, EditMessageMutationVariables>;
export const DeleteMessageDocument = new TypedDocumentString(`
    mutation DeleteMessage($input: DeleteMessageInput!) {
  deleteMessage(input: $input) {
    message {
      ...MessageFields
    }
  }
}
    fragment MessageFields on Message {
  id
  conversationId
  seq
  messageId
  clientMessageId
  sender {
    id
    name
  }
  body
  sentAt
  editedAt
  deletedAt
  reactions {
    emoji
    count
    viewerReacted
  }
  replyTo {
    seq
    sender {
      id
      name
    }
    body
    deletedAt
  }
}`) as unknown as TypedDocumentString<DeleteMessageMutation, DeleteMessageMutationVariables>;
export const ReactDocument = new TypedDocumentString(`
    mutation React($input: ReactInput!) {
  react(input: $input) {
    message {
      ...MessageFields
    }
  }
}
    fragment MessageFields on Message {
  id
  conversationId
  seq
  messageId
  clientMessageId
  sender {
    id
    name
  }
  body
  sentAt
  editedAt
  deletedAt
  reactions {
    emoji
    count
    viewerReacted
  }
  replyTo {
    seq
    sender {
      id
      name
    }
    body
    deletedAt
  }
}`) as unknown as TypedDocumentString<ReactMutation, ReactMutationVariables>;
export const MessageChangedDocument = new TypedDocumentString(`
    subscription MessageChanged($conversationId: ID, $after: [PositionInput!]) {
  messageChanged(conversationId: $conversationId, after: $after) {
    message {
      ...MessageFields
    }
    seq
    previousSeq
    catchUp
  }
}
    fragment MessageFields on Message {
  id
  conversationId
  seq
  messageId
  clientMessageId
  sender {
    id
    name
  }
  body
  sentAt
  editedAt
  deletedAt
  reactions {
    emoji
    count
    viewerReacted
  }
  replyTo {
    seq
    sender {
      id
      name
    }
    body
    deletedAt
  }
}`) as unknown as TypedDocumentString<MessageChangedSubscription, MessageChangedSubscriptionVariables>;
export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer {
    id
    name
  }
}
    `) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const ConversationDocument = new TypedDocumentString(`
    query Conversation($id: ID!) {
  conversation(id: $id) {
    ...ConversationFields
  }
}
    fragment ConversationFields on Conversation {
  id
  kind
  title
  members {
    id
    name
  }
  lastSeq
  unreadCount
  lastMessage {
    ...MessageFields
  }
  ticks {
    ...TicksFields
  }
}
fragment MessageFields on Message {
  id
  conversationId
  seq
  messageId
  clientMessageId
  sender {
    id
    name
  }
  body
  sentAt
  editedAt
  deletedAt
  reactions {
    emoji
    count
    viewerReacted
  }
  replyTo {
    seq
    sender {
      id
      name
    }
    body
    deletedAt
  }
}
fragment TicksFields on Ticks {
  conversationId
  userId
  lastDeliveredSeq
  lastReadSeq
}`) as unknown as TypedDocumentString<ConversationQuery, ConversationQueryVariables>;
export const ConversationsDocument = new TypedDocumentString(`
    query Conversations($first: Int, $after: String, $last: Int, $before: String) {
  conversations(first: $first, after: $after, last: $last, before: $before) {
    edges {
      cursor
      node {
        ...ConversationFields
      }
    }
    pageInfo {
      hasNextPage
      hasPreviousPage
      startCursor
      endCursor
    }
  }
}
    fragment ConversationFields on Conversation {
  id
  kind
  title
  members {
    id
    name
  }
  lastSeq
  unreadCount
  lastMessage {
    ...MessageFields
  }
  ticks {
    ...TicksFields
  }
}
fragment MessageFields on Message {
  id
  conversationId
  seq
  messageId
  clientMessageId
  sender {
    id
    name
  }
  body
  sentAt
  editedAt
  deletedAt
  reactions {
    emoji
    count
    viewerReacted
  }
  replyTo {
    seq
    sender {
      id
      name
    }
    body
    deletedAt
  }
}
fragment TicksFields on Ticks {
  conversationId
  userId
  lastDeliveredSeq
  lastReadSeq
}`) as unknown as TypedDocumentString<ConversationsQuery, ConversationsQueryVariables>;
export const SendMessageDocument = new TypedDocumentString(`
    mutation SendMessage($input: SendMessageInput!) {
  sendMessage(input: $input) {
    duplicate
    message {
      ...MessageFields
    }
  }
}
    fragment MessageFields on Message {
  id
  conversationId
  seq
  messageId
  clientMessageId
  sender {
    id
    name
  }
  body
  sentAt
  editedAt
  deletedAt
  reactions {
    emoji
    count
    viewerReacted
  }
  replyTo {
    seq
    sender {
      id
      name
    }
    body
    deletedAt
  }
}`) as unknown as TypedDocumentString<SendMessageMutation, SendMessageMutationVariables>;
export const MessagesDocument = new TypedDocumentString(`
    query Messages($conversationId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
  messages(
    conversationId: $conversationId
    first: $first
    after: $after
    last: $last
    before: $before
  ) {
    edges {
      cursor
      node {
        ...MessageFields
      }
    }
    pageInfo {
      hasNextPage
      hasPreviousPage
      startCursor
      endCursor
    }
  }
}
    fragment MessageFields on Message {
  id
  conversationId
  seq
  messageId
  clientMessageId
  sender {
    id
    name
  }
  body
  sentAt
  editedAt
  deletedAt
  reactions {
    emoji
    count
    viewerReacted
  }
  replyTo {
    seq
    sender {
      id
      name
    }
    body
    deletedAt
  }
}`) as unknown as TypedDocumentString<MessagesQuery, MessagesQueryVariables>;
export const MessageAddedDocument = new TypedDocumentString(`
    subscription MessageAdded($conversationId: ID, $after: [PositionInput!]) {
  messageAdded(conversationId: $conversationId, after: $after) {
    message {
      ...MessageFields
    }
    cursor
    previousSeq
    catchUp
  }
}
    fragment MessageFields on Message {
  id
  conversationId
  seq
  messageId
  clientMessageId
  sender {
    id
    name
  }
  body
  sentAt
  editedAt
  deletedAt
  reactions {
    emoji
    count
    viewerReacted
  }
  replyTo {
    seq
    sender {
      id
      name
    }
    body
    deletedAt
  }
}`) as unknown as TypedDocumentString<MessageAddedSubscription, MessageAddedSubscriptionVariables>;
export const AckDocument = new TypedDocumentString(`
    mutation Ack($input: AckInput!) {
  ack(input: $input) {
    ticks {
      ...TicksFields
    }
  }
}
    fragment TicksFields on Ticks {
  conversationId
  userId
  lastDeliveredSeq
  lastReadSeq
}`) as unknown as TypedDocumentString<AckMutation, AckMutationVariables>;
export const MarkReadDocument = new TypedDocumentString(`
    mutation MarkRead($input: MarkReadInput!) {
  markRead(input: $input) {
    ticks {
      ...TicksFields
    }
  }
}
    fragment TicksFields on Ticks {
  conversationId
  userId
  lastDeliveredSeq
  lastReadSeq
}`) as unknown as TypedDocumentString<MarkReadMutation, MarkReadMutationVariables>;
export const TicksChangedDocument = new TypedDocumentString(`
    subscription TicksChanged($conversationId: ID) {
  ticksChanged(conversationId: $conversationId) {
    ...TicksFields
  }
}
    fragment TicksFields on Ticks {
  conversationId
  userId
  lastDeliveredSeq
  lastReadSeq
}`) as unknown as TypedDocumentString<TicksChangedSubscription, TicksChangedSubscriptionVariables>;
export const SetTypingDocument = new TypedDocumentString(`
    mutation SetTyping($input: SetTypingInput!) {
  setTyping(input: $input) {
    ok
  }
}
    `) as unknown as TypedDocumentString<SetTypingMutation, SetTypingMutationVariables>;
export const TypingChangedDocument = new TypedDocumentString(`
    subscription TypingChanged($conversationId: ID!) {
  typingChanged(conversationId: $conversationId) {
    userId
    typing
  }
}
    `) as unknown as TypedDocumentString<TypingChangedSubscription, TypingChangedSubscriptionVariables>;