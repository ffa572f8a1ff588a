/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** How far the caller’s device has got. */
export type AckInput = {
  /** The conversation. */
  conversationId: string;
  /** The device that `messageAdded` and `messageChanged` are opened with. The one of the two that showed this seq resumes after it. */
  deviceId?: string | null | undefined;
  /** The device has everything up to and including this; from 1 to lastSeq. */
  seq: number;
};

/** The kinds of conversations. */
export type ConversationKind =
  /** Two people, or one with themselves. Its members never change. */
  | 'DIRECT'
  /** Up to 1,024 people, who come and go. */
  | 'GROUP';

/** A group to make. */
export type CreateGroupInput = {
  /** Made on the device before the first attempt; every retry, at whatever age, carries the same one and gets the same group. */
  clientGroupId: string;
  /** Who else is in it; with the caller, who becomes its owner, up to 1,024. */
  memberIds: Array<string>;
  /** 1 to 100 characters in one line, at least one of them visible. */
  title: string;
};

/** A file to upload. */
export type CreateUploadInput = {
  /** Its exact size in bytes: 1 to 26,214,400 (25 MB). */
  byteSize: number;
  /** Its MIME type, in lower case and without parameters: `image/png`. */
  contentType: string;
  /** Its file name: 1 to 255 characters, without a path and control characters. */
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

/** What a notice is of. A change that does several things at once is shown as the first of these that it does. */
export type GroupNoticeKind =
  /** The actor made the group; `users` are the others who are in it, `title` is its title. */
  | 'CREATED'
  /** The actor added `users`. */
  | 'MEMBERS_ADDED'
  /** The actor removed `users`. */
  | 'MEMBERS_REMOVED'
  /** The actor, who is also in `users`, left by themselves. */
  | 'MEMBER_LEFT'
  /** The actor gave `users` other roles. */
  | 'ROLES_CHANGED'
  /** The actor changed the title to `title`. */
  | 'TITLE_CHANGED';

/** A group to leave. */
export type LeaveConversationInput = {
  /** The group. */
  conversationId: string;
};

/** How far the caller has read. */
export type MarkReadInput = {
  /** The conversation. */
  conversationId: string;
  /** The device that `messageAdded` and `messageChanged` are opened with. The one of the two that showed this seq resumes after it. */
  deviceId?: string | null | undefined;
  /** Everything up to and including this is read; from 1 to lastSeq. */
  seq: number;
};

/** A role for somebody. */
export type MemberRoleInput = {
  /** Their new role. */
  role: Role;
  /** Who. */
  userId: string;
};

/** Who speaks in a message. */
export type MessageKind =
  /** A change of the group, shown only where `notices` is asked for; never counted as unread. */
  | 'NOTICE'
  /** Said by the app’s backend. */
  | 'SYSTEM'
  /** Said by a person. */
  | 'USER';

/** What a device already holds of a conversation. */
export type PositionInput = {
  /** The conversation. */
  conversationId: string;
  /** The device has everything up to and including this; 0 for nothing. */
  seq: number;
};

/** How somebody is here. Several devices count as one: the first of these that holds for any of them. */
export type PresenceState =
  /** No device follows messageAdded. After a crash, up to 35 seconds late. */
  | 'OFFLINE'
  /** A device follows messageAdded and has caught up. */
  | 'ONLINE'
  /** A device has come and is still being sent what it missed. */
  | 'SYNCING';

/** What a device is pushed to by. */
export type PushPlatform =
  /** iPhones and the like. Its token is its device token, in hex. */
  | 'APNS'
  /** Android. Its token is its FCM registration token. */
  | 'FCM'
  /** Nothing: what it would be told is printed by the server. Not in production. */
  | 'LOG'
  /** A browser. Its token is its PushSubscription as JSON: `endpoint` and `keys`. */
  | 'WEBPUSH';

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

/** A device to push to. */
export type RegisterDeviceInput = {
  /** Made on the device, and kept there: 1 to 64 of A-Z a-z 0-9 . _ : - */
  deviceId: string;
  /** What it is pushed to by. */
  platform: PushPlatform;
  /** Its address there: 1 to 4,096 characters. */
  token: string;
};

/** A message to report. */
export type ReportMessageInput = {
  /** What the reporter adds, up to 1,000 characters. */
  comment?: string | null | undefined;
  /** The conversation of the message. */
  conversationId: string;
  /** Why. */
  reason: ReportReason;
  /** The seq of the message. Not one of the viewer’s own. */
  seq: number;
};

/** Why something is reported. */
export type ReportReason =
  /** It insults, threatens or follows somebody. */
  | 'HARASSMENT'
  /** It stirs up hatred of a group of people. */
  | 'HATE'
  /** It is against the law. */
  | 'ILLEGAL'
  /** None of these; the comment says what. */
  | 'OTHER'
  /** Somebody may harm themselves. */
  | 'SELF_HARM'
  /** It is sexual, and unwanted or forbidden. */
  | 'SEXUAL'
  /** Unwanted advertising, or fraud. */
  | 'SPAM'
  /** It shows violence, or calls for it. */
  | 'VIOLENCE';

/** A person to report. */
export type ReportUserInput = {
  /** What the reporter adds, up to 1,000 characters. */
  comment?: string | null | undefined;
  /** Why. */
  reason: ReportReason;
  /** Somebody whom the viewer can see, and not themselves. */
  userId: string;
};

/** What somebody may do in a group. */
export type Role =
  /** Add people, remove members, change the title, delete messages of others. */
  | 'ADMIN'
  /** Read, write, leave. */
  | 'MEMBER'
  /** Everything: also give roles, and remove admins. */
  | 'OWNER';

/** A message to send. */
export type SendMessageInput = {
  /** Up to 10 different uploads of the sender’s own, made by `createUpload` within the last 24 hours and uploaded; each goes with one message only. */
  attachmentIds?: Array<string> | null | undefined;
  /** The text: 1 to 4,096 characters, at least one of them visible. With attachments it may be empty. */
  body: string;
  /** Made on the device before the first attempt; every retry carries the same one. 1 to 64 of A-Z a-z 0-9 . _ : - */
  clientMessageId: string;
  /** For the app alone: an object of up to 4 KB as JSON, shown with the message as `metadata`. A retry carries the same. */
  metadata?: Record<string, unknown> | null | undefined;
  /** The seq of the message it answers, in the same conversation. */
  replyToSeq?: number | null | undefined;
  /** Where it goes. */
  to: RecipientInput;
};

/** Whom to block, or to block no longer. */
export type SetBlockedInput = {
  /** True to block, false to block no longer. */
  blocked: boolean;
  /** Whom. Not oneself. */
  userId: string;
};

/** Whether the caller is writing. */
export type SetTypingInput = {
  /** Where. */
  conversationId: string;
  /** True every few seconds while they write, at most once in two is passed on; false when they stop. */
  typing: boolean;
};

/** A device to push to no longer. */
export type UnregisterDeviceInput = {
  /** Which of the viewer’s. */
  deviceId: string;
};

/** What to change of a conversation. What is left out stays as it is. */
export type UpdateConversationInput = {
  /** For the caller alone: true or false, not null. */
  archived?: boolean | null | undefined;
  /** The conversation. */
  conversationId: string;
  /** For the caller alone: no notice until then. Null, or a moment that has passed, ends it. */
  mutedUntil?: string | null | undefined;
  /** For the caller alone: true or false, not null. */
  pinned?: boolean | null | undefined;
  /** A group’s new title, for everybody: 1 to 100 characters in one line, at least one of them visible. A direct chat has none. */
  title?: string | null | undefined;
};

/** Who shall be in a group. What is so already is left as it is, so a retry does no harm. */
export type UpdateMembersInput = {
  /** People to add, as members. They see what is written from then on. For owners and admins. */
  add?: Array<string> | null | undefined;
  /** The group. */
  conversationId: string;
  /** People to remove. Admins may remove members only. To leave, see leaveConversation. */
  remove?: Array<string> | null | undefined;
  /** Roles to give, also to those added. For owners. */
  roles?: Array<MemberRoleInput> | null | undefined;
};

export type EditMessageMutationVariables = Exact<{
  input: EditMessageInput;
}>;


export type EditMessageMutation = { editMessage: { message: { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type DeleteMessageMutationVariables = Exact<{
  input: DeleteMessageInput;
}>;


export type DeleteMessageMutation = { deleteMessage: { message: { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type ReactMutationVariables = Exact<{
  input: ReactInput;
}>;


export type ReactMutation = { react: { message: { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type MessageChangedSubscriptionVariables = Exact<{
  conversationId?: string | null | undefined;
  after?: Array<PositionInput> | PositionInput | null | undefined;
}>;


export type MessageChangedSubscription = { messageChanged: { seq: number, previousSeq: number, catchUp: boolean, message: { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type ConversationFieldsFragment = { id: string, kind: ConversationKind, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, lastActivityAt: string, unreadCount: number, members: Array<{ id: string, name: string | null }>, memberships: Array<{ role: Role, joinedSeq: number, user: { id: string, name: string | null } }>, lastMessage: { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { id: string, name: string | null } };

export type ConversationQueryVariables = Exact<{
  id: string;
}>;


export type ConversationQuery = { conversation: { id: string, kind: ConversationKind, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, lastActivityAt: string, unreadCount: number, members: Array<{ id: string, name: string | null }>, memberships: Array<{ role: Role, joinedSeq: number, user: { id: string, name: string | null } }>, lastMessage: { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> } | null };

export type StillThereQueryVariables = Exact<{
  ids: Array<string> | string;
}>;


export type StillThereQuery = { nodes: Array<
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
   | null> };

export type ConversationsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ConversationsQuery = { conversations: { edges: Array<{ cursor: string, node: { id: string, kind: ConversationKind, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, lastActivityAt: string, unreadCount: number, members: Array<{ id: string, name: string | null }>, memberships: Array<{ role: Role, joinedSeq: number, user: { id: string, name: string | null } }>, lastMessage: { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> } }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type ConversationUpdatedSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type ConversationUpdatedSubscription = { conversationUpdated: { removedConversationId: string | null, conversation: { id: string, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, lastActivityAt: string, unreadCount: number, lastMessage: { seq: number } | null } | null } };

export type UpdateConversationMutationVariables = Exact<{
  input: UpdateConversationInput;
}>;


export type UpdateConversationMutation = { updateConversation: { conversation: { id: string, kind: ConversationKind, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, lastActivityAt: string, unreadCount: number, members: Array<{ id: string, name: string | null }>, memberships: Array<{ role: Role, joinedSeq: number, user: { id: string, name: string | null } }>, lastMessage: { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> } } };

export type UnreadConversationCountQueryVariables = Exact<{ [key: string]: never; }>;


export type UnreadConversationCountQuery = { unreadConversationCount: number };

export type CreateGroupMutationVariables = Exact<{
  input: CreateGroupInput;
}>;


export type CreateGroupMutation = { createGroup: { conversation: { id: string, kind: ConversationKind, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, lastActivityAt: string, unreadCount: number, members: Array<{ id: string, name: string | null }>, memberships: Array<{ role: Role, joinedSeq: number, user: { id: string, name: string | null } }>, lastMessage: { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> } } };

export type UpdateMembersMutationVariables = Exact<{
  input: UpdateMembersInput;
}>;


export type UpdateMembersMutation = { updateMembers: { conversation: { id: string, kind: ConversationKind, title: string | null, mutedUntil: string | null, pinned: boolean, archived: boolean, lastSeq: number, lastActivityAt: string, unreadCount: number, members: Array<{ id: string, name: string | null }>, memberships: Array<{ role: Role, joinedSeq: number, user: { id: string, name: string | null } }>, lastMessage: { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } | null, ticks: Array<{ conversationId: string, userId: string, lastDeliveredSeq: number, lastReadSeq: number }> } } };

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

export type MessageFieldsFragment = { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null };

export type SendMessageMutationVariables = Exact<{
  input: SendMessageInput;
}>;


export type SendMessageMutation = { sendMessage: { duplicate: boolean, message: { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

export type NoticeFieldsFragment = { kind: GroupNoticeKind, title: string | null, actor: { id: string, name: string | null }, users: Array<{ id: string, name: string | null }> };

export type MessagesQueryVariables = Exact<{
  conversationId: string;
  aroundSeq?: number | null | undefined;
  notices?: boolean | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type MessagesQuery = { messages: { edges: Array<{ cursor: string, node: { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, notice: { kind: GroupNoticeKind, title: string | null, actor: { id: string, name: string | null }, users: Array<{ id: string, name: string | null }> } | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type MessageAddedSubscriptionVariables = Exact<{
  conversationId?: string | null | undefined;
  after?: Array<PositionInput> | PositionInput | null | undefined;
  notices?: boolean | null | undefined;
}>;


export type MessageAddedSubscription = { messageAdded: { cursor: string, previousSeq: number, catchUp: boolean, message: { id: string, conversationId: string, seq: number, kind: MessageKind, messageId: string, clientMessageId: string | null, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null, notice: { kind: GroupNoticeKind, title: string | null, actor: { id: string, name: string | null }, users: Array<{ id: string, name: string | null }> } | null, sender: { id: string, name: string | null }, attachments: Array<{ id: string, url: string, contentType: string, byteSize: number, name: string | null }>, reactions: Array<{ emoji: string, count: number, viewerReacted: boolean }>, replyTo: { seq: number, body: string, deletedAt: string | null, sender: { id: string, name: string | null } } | null } } };

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

export type BlockedUsersQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type BlockedUsersQuery = { blockedUsers: { edges: Array<{ node: { id: string, name: string | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ReportMessageMutationVariables = Exact<{
  input: ReportMessageInput;
}>;


export type ReportMessageMutation = { reportMessage: { reportId: string } };

export type ReportUserMutationVariables = Exact<{
  input: ReportUserInput;
}>;


export type ReportUserMutation = { reportUser: { reportId: string } };

export type PushPublicKeyQueryVariables = Exact<{ [key: string]: never; }>;


export type PushPublicKeyQuery = { pushPublicKey: string | null };

export type RegisterDeviceMutationVariables = Exact<{
  input: RegisterDeviceInput;
}>;


export type RegisterDeviceMutation = { registerDevice: { deviceId: string } };

export type UnregisterDeviceMutationVariables = Exact<{
  input: UnregisterDeviceInput;
}>;


export type UnregisterDeviceMutation = { unregisterDevice: { deviceId: string } };

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
  declare __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  declare private value: string;
  declare public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const AttachmentFieldsFragmentDoc = /*#__PURE__*/ new TypedDocumentString(`fragment AttachmentFields on Attachment{id url contentType byteSize name}`, {"fragmentName":"AttachmentFields"}) as unknown as TypedDocumentString<AttachmentFieldsFragment, unknown>;
export const MessageFieldsFragmentDoc = /*#__PURE__*/ new TypedDocumentString(`fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}fragment AttachmentFields on Attachment{id url contentType byteSize name}`, {"fragmentName":"MessageFields"}) as unknown as TypedDocumentString<MessageFieldsFragment, unknown>;
export const TicksFieldsFragmentDoc = /*#__PURE__*/ new TypedDocumentString(`fragment TicksFields on Ticks{conversationId userId lastDeliveredSeq lastReadSeq}`, {"fragmentName":"TicksFields"}) as unknown as TypedDocumentString<TicksFieldsFragment, unknown>;
export const ConversationFieldsFragmentDoc = /*#__PURE__*/ new TypedDocumentString(`fragment ConversationFields on Conversation{id kind title members{id name}memberships{user{id name}role joinedSeq}mutedUntil pinned archived lastSeq lastActivityAt unreadCount lastMessage{...MessageFields}ticks{...TicksFields}}fragment AttachmentFields on Attachment{id url contentType byteSize name}fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}fragment TicksFields on Ticks{conversationId userId lastDeliveredSeq lastReadSeq}`, {"fragmentName":"ConversationFields"}) as unknown as TypedDocumentString<ConversationFieldsFragment, unknown>;
export const NoticeFieldsFragmentDoc = /*#__PURE__*/ new TypedDocumentString(`fragment NoticeFields on GroupNotice{kind actor{id name}users{id name}title}`, {"fragmentName":"NoticeFields"}) as unknown as TypedDocumentString<NoticeFieldsFragment, unknown>;
export const PresenceFieldsFragmentDoc = /*#__PURE__*/ new TypedDocumentString(`fragment PresenceFields on User{id presence{state lastSeenAt}}`, {"fragmentName":"PresenceFields"}) as unknown as TypedDocumentString<PresenceFieldsFragment, unknown>;
export const EditMessageDocument = /*#__PURE__*/ new TypedDocumentString(`mutation EditMessage($input:EditMessageInput!){editMessage(input:$input){message{...MessageFields}}}fragment AttachmentFields on Attachment{id url contentType byteSize name}fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}`) as unknown as TypedDocumentString<EditMessageMutation, EditMessageMutationVariables>;
export const DeleteMessageDocument = /*#__PURE__*/ new TypedDocumentString(`mutation DeleteMessage($input:DeleteMessageInput!){deleteMessage(input:$input){message{...MessageFields}}}fragment AttachmentFields on Attachment{id url contentType byteSize name}fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}`) as unknown as TypedDocumentString<DeleteMessageMutation, DeleteMessageMutationVariables>;
export const ReactDocument = /*#__PURE__*/ new TypedDocumentString(`mutation React($input:ReactInput!){react(input:$input){message{...MessageFields}}}fragment AttachmentFields on Attachment{id url contentType byteSize name}fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}`) as unknown as TypedDocumentString<ReactMutation, ReactMutationVariables>;
export const MessageChangedDocument = /*#__PURE__*/ new TypedDocumentString(`subscription MessageChanged($conversationId:ID$after:[PositionInput!]){messageChanged(conversationId:$conversationId after:$after){message{...MessageFields}seq previousSeq catchUp}}fragment AttachmentFields on Attachment{id url contentType byteSize name}fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}`) as unknown as TypedDocumentString<MessageChangedSubscription, MessageChangedSubscriptionVariables>;
export const ViewerDocument = /*#__PURE__*/ new TypedDocumentString(`query Viewer{viewer{id name}}`) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const ConversationDocument = /*#__PURE__*/ new TypedDocumentString(`query Conversation($id:ID!){conversation(id:$id){...ConversationFields}}fragment ConversationFields on Conversation{id kind title members{id name}memberships{user{id name}role joinedSeq}mutedUntil pinned archived lastSeq lastActivityAt unreadCount lastMessage{...MessageFields}ticks{...TicksFields}}fragment AttachmentFields on Attachment{id url contentType byteSize name}fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}fragment TicksFields on Ticks{conversationId userId lastDeliveredSeq lastReadSeq}`) as unknown as TypedDocumentString<ConversationQuery, ConversationQueryVariables>;
export const StillThereDocument = /*#__PURE__*/ new TypedDocumentString(`query StillThere($ids:[ID!]!){nodes(ids:$ids){id}}`) as unknown as TypedDocumentString<StillThereQuery, StillThereQueryVariables>;
export const ConversationsDocument = /*#__PURE__*/ new TypedDocumentString(`query Conversations($first:Int$after:String$last:Int$before:String){conversations(first:$first after:$after last:$last before:$before){edges{cursor node{...ConversationFields}}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}fragment ConversationFields on Conversation{id kind title members{id name}memberships{user{id name}role joinedSeq}mutedUntil pinned archived lastSeq lastActivityAt unreadCount lastMessage{...MessageFields}ticks{...TicksFields}}fragment AttachmentFields on Attachment{id url contentType byteSize name}fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}fragment TicksFields on Ticks{conversationId userId lastDeliveredSeq lastReadSeq}`) as unknown as TypedDocumentString<ConversationsQuery, ConversationsQueryVariables>;
export const ConversationUpdatedDocument = /*#__PURE__*/ new TypedDocumentString(`subscription ConversationUpdated{conversationUpdated{conversation{id title mutedUntil pinned archived lastSeq lastActivityAt unreadCount lastMessage{seq}}removedConversationId}}`) as unknown as TypedDocumentString<ConversationUpdatedSubscription, ConversationUpdatedSubscriptionVariables>;
export const UpdateConversationDocument = /*#__PURE__*/ new TypedDocumentString(`mutation UpdateConversation($input:UpdateConversationInput!){updateConversation(input:$input){conversation{...ConversationFields}}}fragment ConversationFields on Conversation{id kind title members{id name}memberships{user{id name}role joinedSeq}mutedUntil pinned archived lastSeq lastActivityAt unreadCount lastMessage{...MessageFields}ticks{...TicksFields}}fragment AttachmentFields on Attachment{id url contentType byteSize name}fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}fragment TicksFields on Ticks{conversationId userId lastDeliveredSeq lastReadSeq}`) as unknown as TypedDocumentString<UpdateConversationMutation, UpdateConversationMutationVariables>;
export const UnreadConversationCountDocument = /*#__PURE__*/ new TypedDocumentString(`query UnreadConversationCount{unreadConversationCount}`) as unknown as TypedDocumentString<UnreadConversationCountQuery, UnreadConversationCountQueryVariables>;
export const CreateGroupDocument = /*#__PURE__*/ new TypedDocumentString(`mutation CreateGroup($input:CreateGroupInput!){createGroup(input:$input){conversation{...ConversationFields}}}fragment ConversationFields on Conversation{id kind title members{id name}memberships{user{id name}role joinedSeq}mutedUntil pinned archived lastSeq lastActivityAt unreadCount lastMessage{...MessageFields}ticks{...TicksFields}}fragment AttachmentFields on Attachment{id url contentType byteSize name}fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}fragment TicksFields on Ticks{conversationId userId lastDeliveredSeq lastReadSeq}`) as unknown as TypedDocumentString<CreateGroupMutation, CreateGroupMutationVariables>;
export const UpdateMembersDocument = /*#__PURE__*/ new TypedDocumentString(`mutation UpdateMembers($input:UpdateMembersInput!){updateMembers(input:$input){conversation{...ConversationFields}}}fragment ConversationFields on Conversation{id kind title members{id name}memberships{user{id name}role joinedSeq}mutedUntil pinned archived lastSeq lastActivityAt unreadCount lastMessage{...MessageFields}ticks{...TicksFields}}fragment AttachmentFields on Attachment{id url contentType byteSize name}fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}fragment TicksFields on Ticks{conversationId userId lastDeliveredSeq lastReadSeq}`) as unknown as TypedDocumentString<UpdateMembersMutation, UpdateMembersMutationVariables>;
export const LeaveConversationDocument = /*#__PURE__*/ new TypedDocumentString(`mutation LeaveConversation($input:LeaveConversationInput!){leaveConversation(input:$input){conversationId}}`) as unknown as TypedDocumentString<LeaveConversationMutation, LeaveConversationMutationVariables>;
export const CreateUploadDocument = /*#__PURE__*/ new TypedDocumentString(`mutation CreateUpload($input:CreateUploadInput!){createUpload(input:$input){attachment{...AttachmentFields}uploadUrl headers{name value}}}fragment AttachmentFields on Attachment{id url contentType byteSize name}`) as unknown as TypedDocumentString<CreateUploadMutation, CreateUploadMutationVariables>;
export const AttachmentsDocument = /*#__PURE__*/ new TypedDocumentString(`query Attachments($messageId:ID!){node(id:$messageId){...on Message{attachments{...AttachmentFields}}}}fragment AttachmentFields on Attachment{id url contentType byteSize name}`) as unknown as TypedDocumentString<AttachmentsQuery, AttachmentsQueryVariables>;
export const SendMessageDocument = /*#__PURE__*/ new TypedDocumentString(`mutation SendMessage($input:SendMessageInput!){sendMessage(input:$input){duplicate message{...MessageFields}}}fragment AttachmentFields on Attachment{id url contentType byteSize name}fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}`) as unknown as TypedDocumentString<SendMessageMutation, SendMessageMutationVariables>;
export const MessagesDocument = /*#__PURE__*/ new TypedDocumentString(`query Messages($conversationId:ID!$aroundSeq:Int$notices:Boolean$first:Int$after:String$last:Int$before:String){messages(conversationId:$conversationId aroundSeq:$aroundSeq notices:$notices first:$first after:$after last:$last before:$before){edges{cursor node{...MessageFields notice{...NoticeFields}}}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}fragment AttachmentFields on Attachment{id url contentType byteSize name}fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}fragment NoticeFields on GroupNotice{kind actor{id name}users{id name}title}`) as unknown as TypedDocumentString<MessagesQuery, MessagesQueryVariables>;
export const MessageAddedDocument = /*#__PURE__*/ new TypedDocumentString(`subscription MessageAdded($conversationId:ID$after:[PositionInput!]$notices:Boolean){messageAdded(conversationId:$conversationId after:$after notices:$notices){message{...MessageFields notice{...NoticeFields}}cursor previousSeq catchUp}}fragment AttachmentFields on Attachment{id url contentType byteSize name}fragment MessageFields on Message{id conversationId seq kind messageId clientMessageId sender{id name}body metadata sentAt editedAt deletedAt attachments{...AttachmentFields}reactions{emoji count viewerReacted}replyTo{seq sender{id name}body deletedAt}}fragment NoticeFields on GroupNotice{kind actor{id name}users{id name}title}`) as unknown as TypedDocumentString<MessageAddedSubscription, MessageAddedSubscriptionVariables>;
export const PresenceDocument = /*#__PURE__*/ new TypedDocumentString(`query Presence($userId:ID!){node(id:$userId){...PresenceFields}}fragment PresenceFields on User{id presence{state lastSeenAt}}`) as unknown as TypedDocumentString<PresenceQuery, PresenceQueryVariables>;
export const PresenceChangedDocument = /*#__PURE__*/ new TypedDocumentString(`subscription PresenceChanged($userIds:[ID!]!){presenceChanged(userIds:$userIds){...PresenceFields}}fragment PresenceFields on User{id presence{state lastSeenAt}}`) as unknown as TypedDocumentString<PresenceChangedSubscription, PresenceChangedSubscriptionVariables>;
export const SetBlockedDocument = /*#__PURE__*/ new TypedDocumentString(`mutation SetBlocked($input:SetBlockedInput!){setBlocked(input:$input){blocked}}`) as unknown as TypedDocumentString<SetBlockedMutation, SetBlockedMutationVariables>;
export const BlockedUsersDocument = /*#__PURE__*/ new TypedDocumentString(`query BlockedUsers($first:Int$after:String){blockedUsers(first:$first after:$after){edges{node{id name}}pageInfo{hasNextPage endCursor}}}`) as unknown as TypedDocumentString<BlockedUsersQuery, BlockedUsersQueryVariables>;
export const ReportMessageDocument = /*#__PURE__*/ new TypedDocumentString(`mutation ReportMessage($input:ReportMessageInput!){reportMessage(input:$input){reportId}}`) as unknown as TypedDocumentString<ReportMessageMutation, ReportMessageMutationVariables>;
export const ReportUserDocument = /*#__PURE__*/ new TypedDocumentString(`mutation ReportUser($input:ReportUserInput!){reportUser(input:$input){reportId}}`) as unknown as TypedDocumentString<ReportUserMutation, ReportUserMutationVariables>;
export const PushPublicKeyDocument = /*#__PURE__*/ new TypedDocumentString(`query PushPublicKey{pushPublicKey}`) as unknown as TypedDocumentString<PushPublicKeyQuery, PushPublicKeyQueryVariables>;
export const RegisterDeviceDocument = /*#__PURE__*/ new TypedDocumentString(`mutation RegisterDevice($input:RegisterDeviceInput!){registerDevice(input:$input){deviceId}}`) as unknown as TypedDocumentString<RegisterDeviceMutation, RegisterDeviceMutationVariables>;
export const UnregisterDeviceDocument = /*#__PURE__*/ new TypedDocumentString(`mutation UnregisterDevice($input:UnregisterDeviceInput!){unregisterDevice(input:$input){deviceId}}`) as unknown as TypedDocumentString<UnregisterDeviceMutation, UnregisterDeviceMutationVariables>;
export const AckDocument = /*#__PURE__*/ new TypedDocumentString(`mutation Ack($input:AckInput!){ack(input:$input){ticks{...TicksFields}}}fragment TicksFields on Ticks{conversationId userId lastDeliveredSeq lastReadSeq}`) as unknown as TypedDocumentString<AckMutation, AckMutationVariables>;
export const MarkReadDocument = /*#__PURE__*/ new TypedDocumentString(`mutation MarkRead($input:MarkReadInput!){markRead(input:$input){ticks{...TicksFields}}}fragment TicksFields on Ticks{conversationId userId lastDeliveredSeq lastReadSeq}`) as unknown as TypedDocumentString<MarkReadMutation, MarkReadMutationVariables>;
export const TicksChangedDocument = /*#__PURE__*/ new TypedDocumentString(`subscription TicksChanged($conversationId:ID){ticksChanged(conversationId:$conversationId){...TicksFields}}fragment TicksFields on Ticks{conversationId userId lastDeliveredSeq lastReadSeq}`) as unknown as TypedDocumentString<TicksChangedSubscription, TicksChangedSubscriptionVariables>;
export const SetTypingDocument = /*#__PURE__*/ new TypedDocumentString(`mutation SetTyping($input:SetTypingInput!){setTyping(input:$input){ok}}`) as unknown as TypedDocumentString<SetTypingMutation, SetTypingMutationVariables>;
export const TypingChangedDocument = /*#__PURE__*/ new TypedDocumentString(`subscription TypingChanged($conversationId:ID!){typingChanged(conversationId:$conversationId){userId typing}}`) as unknown as TypedDocumentString<TypingChangedSubscription, TypingChangedSubscriptionVariables>;