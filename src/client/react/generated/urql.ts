/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { gql } from 'urql';
import * as Urql from 'urql';
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
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
  /** Any number of people. */
  | 'GROUP';

/** A group to make. */
export type CreateGroupInput = {
  /** Made on the device before the first attempt; every retry carries the same one. */
  clientGroupId: string;
  /** Who is in it, besides the viewer. */
  memberIds: Array<string>;
  /** Its title. */
  title: string;
};

/** A file to put. */
export type CreateUploadInput = {
  /** How large it is. */
  byteSize: number;
  /** Its media type. */
  contentType: string;
  /** What it is called. */
  name?: string | null | undefined;
};

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

/** A group to leave. */
export type LeaveConversationInput = {
  /** The group. */
  conversationId: string;
};

/** How far the caller has read. */
export type MarkReadInput = {
  /** The conversation. */
  conversationId: string;
  /** Everything up to and including this is read; from 1 to lastSeq. */
  seq: number;
};

/** A role to give. */
export type MemberRoleInput = {
  /** Which. */
  role: Role;
  /** To whom. */
  userId: string;
};

/** What a device already holds of a conversation. */
export type PositionInput = {
  /** The conversation. */
  conversationId: string;
  /** The device has everything up to and including this; 0 for nothing. */
  seq: number;
};

/** Whether somebody is there. */
export type PresenceState =
  /** No device is connected. */
  | 'OFFLINE'
  /** A device is connected and has everything. */
  | 'ONLINE'
  /** A device is connected and catching up. */
  | 'SYNCING';

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

/** What a member may do. */
export type Role =
  /** May add, remove and rename. */
  | 'ADMIN'
  /** May read and write. */
  | 'MEMBER'
  /** May do everything. */
  | 'OWNER';

/** A message to send. */
export type SendMessageInput = {
  /** Uploads of the sender that come with it; the text may then be empty. */
  attachmentIds?: Array<string> | null | undefined;
  /** The text: 1 to 4,096 characters, at least one of them visible. */
  body: string;
  /** Made on the device before the first attempt; every retry carries the same one. 1 to 64 of A-Z a-z 0-9 . _ : - */
  clientMessageId: string;
  /** The seq of the message it answers, in the same conversation. */
  replyToSeq?: number | null | undefined;
  /** Where it goes. */
  to: RecipientInput;
};

/** Whom to block. */
export type SetBlockedInput = {
  /** Whether. */
  blocked: boolean;
  /** Whom. */
  userId: string;
};

/** Whether the caller is writing. */
export type SetTypingInput = {
  /** Where. */
  conversationId: string;
  /** True every few seconds while they write, at most once in two is passed on; false when they stop. */
  typing: boolean;
};

/** What is to be different about a conversation; what is absent stays. */
export type UpdateConversationInput = {
  /** For the viewer. */
  archived?: boolean | null | undefined;
  /** The conversation. */
  conversationId: string;
  /** For the viewer; null: no longer. */
  mutedUntil?: string | null | undefined;
  /** For the viewer. */
  pinned?: boolean | null | undefined;
  /** For everybody. */
  title?: string | null | undefined;
};

/** Who is to be in a group, and as what. */
export type UpdateMembersInput = {
  /** These come in. */
  add?: Array<string> | null | undefined;
  /** The group. */
  conversationId: string;
  /** These go. */
  remove?: Array<string> | null | undefined;
  /** These get another role. */
  roles?: Array<MemberRoleInput> | null | undefined;
};

export type EditMessageMutationVariables = Exact<{
  input: EditMessageInput;
}>;


export type EditMessageMutation = { editMessage: { message: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type DeleteMessageMutationVariables = Exact<{
  input: DeleteMessageInput;
}>;


export type DeleteMessageMutation = { deleteMessage: { message: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type ReactMutationVariables = Exact<{
  input: ReactInput;
}>;


export type ReactMutation = { react: { message: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type MessageChangedSubscriptionVariables = Exact<{
  conversationId?: string | null | undefined;
  after?: Array<PositionInput> | PositionInput | null | undefined;
}>;


export type MessageChangedSubscription = { messageChanged: { seq: number, previousSeq: number, catchUp: boolean, message: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type ConversationFieldsFragment = { id: string, kind: ConversationKind, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, unreadCount: number, members: Array<{ id: string, name: string | null }>, memberships: Array<{ role: Role, joinedSeq: number, user: { id: string, name: string | null } }>, lastMessage: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { id: string, name: string | null } };

export type ConversationQueryVariables = Exact<{
  id: string;
}>;


export type ConversationQuery = { conversation: { id: string, kind: ConversationKind, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, unreadCount: number, members: Array<{ id: string, name: string | null }>, memberships: Array<{ role: Role, joinedSeq: number, user: { id: string, name: string | null } }>, lastMessage: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> } | null };

export type ConversationsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ConversationsQuery = { conversations: { edges: Array<{ cursor: string, node: { id: string, kind: ConversationKind, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, unreadCount: number, members: Array<{ id: string, name: string | null }>, memberships: Array<{ role: Role, joinedSeq: number, user: { id: string, name: string | null } }>, lastMessage: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> } }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type ConversationChangedSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type ConversationChangedSubscription = { conversationChanged: { id: string, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, unreadCount: number, lastMessage: { seq: number } | null } };

export type UpdateConversationMutationVariables = Exact<{
  input: UpdateConversationInput;
}>;


export type UpdateConversationMutation = { updateConversation: { conversation: { id: string, kind: ConversationKind, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, unreadCount: number, members: Array<{ id: string, name: string | null }>, memberships: Array<{ role: Role, joinedSeq: number, user: { id: string, name: string | null } }>, lastMessage: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> } } };

export type CreateGroupMutationVariables = Exact<{
  input: CreateGroupInput;
}>;


export type CreateGroupMutation = { createGroup: { conversation: { id: string, kind: ConversationKind, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, unreadCount: number, members: Array<{ id: string, name: string | null }>, memberships: Array<{ role: Role, joinedSeq: number, user: { id: string, name: string | null } }>, lastMessage: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> } } };

export type UpdateMembersMutationVariables = Exact<{
  input: UpdateMembersInput;
}>;


export type UpdateMembersMutation = { updateMembers: { conversation: { id: string, kind: ConversationKind, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, unreadCount: number, members: Array<{ id: string, name: string | null }>, memberships: Array<{ role: Role, joinedSeq: number, user: { id: string, name: string | null } }>, lastMessage: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> } } };

export type LeaveConversationMutationVariables = Exact<{
  input: LeaveConversationInput;
}>;


export type LeaveConversationMutation = { leaveConversation: { conversationId: string } };

export type AttachmentFieldsFragment = { id: string, url: string, contentType: string, byteSize: number, name: string | null };

export type CreateUploadMutationVariables = Exact<{
  input: CreateUploadInput;
}>;


export type CreateUploadMutation = { createUpload: { uploadUrl: string, attachment: { id: string, url: string, contentType: string, byteSize: number, name: string | null }, headers: Array<{ name: string, value: string }> } };

export type AttachmentsQueryVariables = Exact<{
  messageId: string;
}>;


export type AttachmentsQuery = { node:
    | { attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }> }
    | Record<PropertyKey, never>
   | null };

export type MessageFieldsFragment = { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null };

export type SendMessageMutationVariables = Exact<{
  input: SendMessageInput;
}>;


export type SendMessageMutation = { sendMessage: { duplicate: boolean, message: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type MessagesQueryVariables = Exact<{
  conversationId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type MessagesQuery = { messages: { edges: Array<{ cursor: string, node: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type MessageAddedSubscriptionVariables = Exact<{
  conversationId?: string | null | undefined;
  after?: Array<PositionInput> | PositionInput | null | undefined;
}>;


export type MessageAddedSubscription = { messageAdded: { cursor: string, previousSeq: number, catchUp: boolean, message: { id: string, conversationId: string, seq: number, messageId: string, clientMessageId: string | null, body: string, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type PresenceFieldsFragment = { id: string, presence: { state: PresenceState, lastSeenAt: string | null } | null };

export type PresenceQueryVariables = Exact<{
  userId: string;
}>;


export type PresenceQuery = { node:
    | { id: string, presence: { state: PresenceState, lastSeenAt: string | null } | null }
    | Record<PropertyKey, never>
   | null };

export type PresenceChangedSubscriptionVariables = Exact<{
  userIds: Array<string> | string;
}>;


export type PresenceChangedSubscription = { presenceChanged: { id: string, presence: { state: PresenceState, lastSeenAt: string | null } | null } };

export type SetBlockedMutationVariables = Exact<{
  input: SetBlockedInput;
}>;


export type SetBlockedMutation = { setBlocked: { blocked: boolean } };

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

export const AttachmentFieldsFragmentDoc = gql`
    fragment AttachmentFields on Attachment {
  id
  url
  contentType
  byteSize
  name
}
    `;
export const MessageFieldsFragmentDoc = gql`
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
  attachments {
    ...AttachmentFields
  }
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
    ${AttachmentFieldsFragmentDoc}`;
export const TicksFieldsFragmentDoc = gql`
    fragment TicksFields on Ticks {
  conversationId
  userId
  lastDeliveredSeq
  lastReadSeq
}
    `;
export const ConversationFieldsFragmentDoc = gql`
    fragment ConversationFields on Conversation {
  id
  kind
  title
  members {
    id
    name
  }
  memberships {
    user {
      id
      name
    }
    role
    joinedSeq
  }
  mutedUntil
  pinned
  archived
  lastSeq
  unreadCount
  lastMessage {
    ...MessageFields
  }
  ticks {
    ...TicksFields
  }
}
    ${MessageFieldsFragmentDoc}
${TicksFieldsFragmentDoc}`;
export const PresenceFieldsFragmentDoc = gql`
    fragment PresenceFields on User {
  id
  presence {
    state
    lastSeenAt
  }
}
    `;
export const EditMessageDocument = gql`
    mutation EditMessage($input: EditMessageInput!) {
  editMessage(input: $input) {
    message {
      ...MessageFields
    }
  }
}
    ${MessageFieldsFragmentDoc}`;

export function useEditMessageMutation() {
  return Urql.useMutation<EditMessageMutation, EditMessageMutationVariables>(EditMessageDocument);
};
export const DeleteMessageDocument = gql`
    mutation DeleteMessage($input: DeleteMessageInput!) {
  deleteMessage(input: $input) {
    message {
      ...MessageFields
    }
  }
}
    ${MessageFieldsFragmentDoc}`;

export function useDeleteMessageMutation() {
  return Urql.useMutation<DeleteMessageMutation, DeleteMessageMutationVariables>(DeleteMessageDocument);
};
export const ReactDocument = gql`
    mutation React($input: ReactInput!) {
  react(input: $input) {
    message {
      ...MessageFields
    }
  }
}
    ${MessageFieldsFragmentDoc}`;

export function useReactMutation() {
  return Urql.useMutation<ReactMutation, ReactMutationVariables>(ReactDocument);
};
export const MessageChangedDocument = gql`
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
    ${MessageFieldsFragmentDoc}`;

export function useMessageChangedSubscription<TData = MessageChangedSubscription>(options?: Omit<Urql.UseSubscriptionArgs<MessageChangedSubscriptionVariables>, 'query'>, handler?: Urql.SubscriptionHandler<MessageChangedSubscription, TData>) {
  return Urql.useSubscription<MessageChangedSubscription, TData, MessageChangedSubscriptionVariables>({ query: MessageChangedDocument, ...options }, handler);
};
export const ViewerDocument = gql`
    query Viewer {
  viewer {
    id
    name
  }
}
    `;

export function useViewerQuery(options?: Omit<Urql.UseQueryArgs<ViewerQueryVariables>, 'query'>) {
  return Urql.useQuery<ViewerQuery, ViewerQueryVariables>({ query: ViewerDocument, ...options });
};
export const ConversationDocument = gql`
    query Conversation($id: ID!) {
  conversation(id: $id) {
    ...ConversationFields
  }
}
    ${ConversationFieldsFragmentDoc}`;

export function useConversationQuery(options: Omit<Urql.UseQueryArgs<ConversationQueryVariables>, 'query'>) {
  return Urql.useQuery<ConversationQuery, ConversationQueryVariables>({ query: ConversationDocument, ...options });
};
export const ConversationsDocument = gql`
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
    ${ConversationFieldsFragmentDoc}`;

export function useConversationsQuery(options?: Omit<Urql.UseQueryArgs<ConversationsQueryVariables>, 'query'>) {
  return Urql.useQuery<ConversationsQuery, ConversationsQueryVariables>({ query: ConversationsDocument, ...options });
};
export const ConversationChangedDocument = gql`
    subscription ConversationChanged {
  conversationChanged {
    id
    title
    mutedUntil
    pinned
    archived
    lastSeq
    unreadCount
    lastMessage {
      seq
    }
  }
}
    `;

export function useConversationChangedSubscription<TData = ConversationChangedSubscription>(options?: Omit<Urql.UseSubscriptionArgs<ConversationChangedSubscriptionVariables>, 'query'>, handler?: Urql.SubscriptionHandler<ConversationChangedSubscription, TData>) {
  return Urql.useSubscription<ConversationChangedSubscription, TData, ConversationChangedSubscriptionVariables>({ query: ConversationChangedDocument, ...options }, handler);
};
export const UpdateConversationDocument = gql`
    mutation UpdateConversation($input: UpdateConversationInput!) {
  updateConversation(input: $input) {
    conversation {
      ...ConversationFields
    }
  }
}
    ${ConversationFieldsFragmentDoc}`;

export function useUpdateConversationMutation() {
  return Urql.useMutation<UpdateConversationMutation, UpdateConversationMutationVariables>(UpdateConversationDocument);
};
export const CreateGroupDocument = gql`
    mutation CreateGroup($input: CreateGroupInput!) {
  createGroup(input: $input) {
    conversation {
      ...ConversationFields
    }
  }
}
    ${ConversationFieldsFragmentDoc}`;

export function useCreateGroupMutation() {
  return Urql.useMutation<CreateGroupMutation, CreateGroupMutationVariables>(CreateGroupDocument);
};
export const UpdateMembersDocument = gql`
    mutation UpdateMembers($input: UpdateMembersInput!) {
  updateMembers(input: $input) {
    conversation {
      ...ConversationFields
    }
  }
}
    ${ConversationFieldsFragmentDoc}`;

export function useUpdateMembersMutation() {
  return Urql.useMutation<UpdateMembersMutation, UpdateMembersMutationVariables>(UpdateMembersDocument);
};
export const LeaveConversationDocument = gql`
    mutation LeaveConversation($input: LeaveConversationInput!) {
  leaveConversation(input: $input) {
    conversationId
  }
}
    `;

export function useLeaveConversationMutation() {
  return Urql.useMutation<LeaveConversationMutation, LeaveConversationMutationVariables>(LeaveConversationDocument);
};
export const CreateUploadDocument = gql`
    mutation CreateUpload($input: CreateUploadInput!) {
  createUpload(input: $input) {
    attachment {
      ...AttachmentFields
    }
    uploadUrl
    headers {
      name
      value
    }
  }
}
    ${AttachmentFieldsFragmentDoc}`;

export function useCreateUploadMutation() {
  return Urql.useMutation<CreateUploadMutation, CreateUploadMutationVariables>(CreateUploadDocument);
};
export const AttachmentsDocument = gql`
    query Attachments($messageId: ID!) {
  node(id: $messageId) {
    ... on Message {
      attachments {
        ...AttachmentFields
      }
    }
  }
}
    ${AttachmentFieldsFragmentDoc}`;

export function useAttachmentsQuery(options: Omit<Urql.UseQueryArgs<AttachmentsQueryVariables>, 'query'>) {
  return Urql.useQuery<AttachmentsQuery, AttachmentsQueryVariables>({ query: AttachmentsDocument, ...options });
};
export const SendMessageDocument = gql`
    mutation SendMessage($input: SendMessageInput!) {
  sendMessage(input: $input) {
    duplicate
    message {
      ...MessageFields
    }
  }
}
    ${MessageFieldsFragmentDoc}`;

export function useSendMessageMutation() {
  return Urql.useMutation<SendMessageMutation, SendMessageMutationVariables>(SendMessageDocument);
};
export const MessagesDocument = gql`
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
    ${MessageFieldsFragmentDoc}`;

export function useMessagesQuery(options: Omit<Urql.UseQueryArgs<MessagesQueryVariables>, 'query'>) {
  return Urql.useQuery<MessagesQuery, MessagesQueryVariables>({ query: MessagesDocument, ...options });
};
export const MessageAddedDocument = gql`
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
    ${MessageFieldsFragmentDoc}`;

export function useMessageAddedSubscription<TData = MessageAddedSubscription>(options?: Omit<Urql.UseSubscriptionArgs<MessageAddedSubscriptionVariables>, 'query'>, handler?: Urql.SubscriptionHandler<MessageAddedSubscription, TData>) {
  return Urql.useSubscription<MessageAddedSubscription, TData, MessageAddedSubscriptionVariables>({ query: MessageAddedDocument, ...options }, handler);
};
export const PresenceDocument = gql`
    query Presence($userId: ID!) {
  node(id: $userId) {
    ...PresenceFields
  }
}
    ${PresenceFieldsFragmentDoc}`;

export function usePresenceQuery(options: Omit<Urql.UseQueryArgs<PresenceQueryVariables>, 'query'>) {
  return Urql.useQuery<PresenceQuery, PresenceQueryVariables>({ query: PresenceDocument, ...options });
};
export const PresenceChangedDocument = gql`
    subscription PresenceChanged($userIds: [ID!]!) {
  presenceChanged(userIds: $userIds) {
    ...PresenceFields
  }
}
    ${PresenceFieldsFragmentDoc}`;

export function usePresenceChangedSubscription<TData = PresenceChangedSubscription>(options: Omit<Urql.UseSubscriptionArgs<PresenceChangedSubscriptionVariables>, 'query'>, handler?: Urql.SubscriptionHandler<PresenceChangedSubscription, TData>) {
  return Urql.useSubscription<PresenceChangedSubscription, TData, PresenceChangedSubscriptionVariables>({ query: PresenceChangedDocument, ...options }, handler);
};
export const SetBlockedDocument = gql`
    mutation SetBlocked($input: SetBlockedInput!) {
  setBlocked(input: $input) {
    blocked
  }
}
    `;

export function useSetBlockedMutation() {
  return Urql.useMutation<SetBlockedMutation, SetBlockedMutationVariables>(SetBlockedDocument);
};
export const AckDocument = gql`
    mutation Ack($input: AckInput!) {
  ack(input: $input) {
    ticks {
      ...TicksFields
    }
  }
}
    ${TicksFieldsFragmentDoc}`;

export function useAckMutation() {
  return Urql.useMutation<AckMutation, AckMutationVariables>(AckDocument);
};
export const MarkReadDocument = gql`
    mutation MarkRead($input: MarkReadInput!) {
  markRead(input: $input) {
    ticks {
      ...TicksFields
    }
  }
}
    ${TicksFieldsFragmentDoc}`;

export function useMarkReadMutation() {
  return Urql.useMutation<MarkReadMutation, MarkReadMutationVariables>(MarkReadDocument);
};
export const TicksChangedDocument = gql`
    subscription TicksChanged($conversationId: ID) {
  ticksChanged(conversationId: $conversationId) {
    ...TicksFields
  }
}
    ${TicksFieldsFragmentDoc}`;

export function useTicksChangedSubscription<TData = TicksChangedSubscription>(options?: Omit<Urql.UseSubscriptionArgs<TicksChangedSubscriptionVariables>, 'query'>, handler?: Urql.SubscriptionHandler<TicksChangedSubscription, TData>) {
  return Urql.useSubscription<TicksChangedSubscription, TData, TicksChangedSubscriptionVariables>({ query: TicksChangedDocument, ...options }, handler);
};
export const SetTypingDocument = gql`
    mutation SetTyping($input: SetTypingInput!) {
  setTyping(input: $input) {
    ok
  }
}
    `;

export function useSetTypingMutation() {
  return Urql.useMutation<SetTypingMutation, SetTypingMutationVariables>(SetTypingDocument);
};
export const TypingChangedDocument = gql`
    subscription TypingChanged($conversationId: ID!) {
  typingChanged(conversationId: $conversationId) {
    userId
    typing
  }
}
    `;

export function useTypingChangedSubscription<TData = TypingChangedSubscription>(options: Omit<Urql.UseSubscriptionArgs<TypingChangedSubscriptionVariables>, 'query'>, handler?: Urql.SubscriptionHandler<TypingChangedSubscription, TData>) {
  return Urql.useSubscription<TypingChangedSubscription, TData, TypingChangedSubscriptionVariables>({ query: TypingChangedDocument, ...options }, handler);
};