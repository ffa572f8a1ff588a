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
  kind
  messageId
  clientMessageId
  sender {
    id
    name
  }
  body
  metadata
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
  lastActivityAt
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
export const NoticeFieldsFragmentDoc = gql`
    fragment NoticeFields on GroupNotice {
  kind
  actor {
    id
    name
  }
  users {
    id
    name
  }
  title
}
    `;
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
export const StillThereDocument = gql`
    query StillThere($ids: [ID!]!) {
  nodes(ids: $ids) {
    id
  }
}
    `;

export function useStillThereQuery(options: Omit<Urql.UseQueryArgs<StillThereQueryVariables>, 'query'>) {
  return Urql.useQuery<StillThereQuery, StillThereQueryVariables>({ query: StillThereDocument, ...options });
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
export const ConversationUpdatedDocument = gql`
    subscription ConversationUpdated {
  conversationUpdated {
    conversation {
      id
      title
      mutedUntil
      pinned
      archived
      lastSeq
      lastActivityAt
      unreadCount
      lastMessage {
        seq
      }
    }
    removedConversationId
  }
}
    `;

export function useConversationUpdatedSubscription<TData = ConversationUpdatedSubscription>(options?: Omit<Urql.UseSubscriptionArgs<ConversationUpdatedSubscriptionVariables>, 'query'>, handler?: Urql.SubscriptionHandler<ConversationUpdatedSubscription, TData>) {
  return Urql.useSubscription<ConversationUpdatedSubscription, TData, ConversationUpdatedSubscriptionVariables>({ query: ConversationUpdatedDocument, ...options }, handler);
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
export const UnreadConversationCountDocument = gql`
    query UnreadConversationCount {
  unreadConversationCount
}
    `;

export function useUnreadConversationCountQuery(options?: Omit<Urql.UseQueryArgs<UnreadConversationCountQueryVariables>, 'query'>) {
  return Urql.useQuery<UnreadConversationCountQuery, UnreadConversationCountQueryVariables>({ query: UnreadConversationCountDocument, ...options });
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
    query Messages($conversationId: ID!, $aroundSeq: Int, $notices: Boolean, $first: Int, $after: String, $last: Int, $before: String) {
  messages(
    conversationId: $conversationId
    aroundSeq: $aroundSeq
    notices: $notices
    first: $first
    after: $after
    last: $last
    before: $before
  ) {
    edges {
      cursor
      node {
        ...MessageFields
        notice {
          ...NoticeFields
        }
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
    ${MessageFieldsFragmentDoc}
${NoticeFieldsFragmentDoc}`;

export function useMessagesQuery(options: Omit<Urql.UseQueryArgs<MessagesQueryVariables>, 'query'>) {
  return Urql.useQuery<MessagesQuery, MessagesQueryVariables>({ query: MessagesDocument, ...options });
};
export const MessageAddedDocument = gql`
    subscription MessageAdded($conversationId: ID, $after: [PositionInput!], $notices: Boolean) {
  messageAdded(conversationId: $conversationId, after: $after, notices: $notices) {
    message {
      ...MessageFields
      notice {
        ...NoticeFields
      }
    }
    cursor
    previousSeq
    catchUp
  }
}
    ${MessageFieldsFragmentDoc}
${NoticeFieldsFragmentDoc}`;

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
export const BlockedUsersDocument = gql`
    query BlockedUsers($first: Int, $after: String) {
  blockedUsers(first: $first, after: $after) {
    edges {
      node {
        id
        name
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `;

export function useBlockedUsersQuery(options?: Omit<Urql.UseQueryArgs<BlockedUsersQueryVariables>, 'query'>) {
  return Urql.useQuery<BlockedUsersQuery, BlockedUsersQueryVariables>({ query: BlockedUsersDocument, ...options });
};
export const ReportMessageDocument = gql`
    mutation ReportMessage($input: ReportMessageInput!) {
  reportMessage(input: $input) {
    reportId
  }
}
    `;

export function useReportMessageMutation() {
  return Urql.useMutation<ReportMessageMutation, ReportMessageMutationVariables>(ReportMessageDocument);
};
export const ReportUserDocument = gql`
    mutation ReportUser($input: ReportUserInput!) {
  reportUser(input: $input) {
    reportId
  }
}
    `;

export function useReportUserMutation() {
  return Urql.useMutation<ReportUserMutation, ReportUserMutationVariables>(ReportUserDocument);
};
export const PushPublicKeyDocument = gql`
    query PushPublicKey {
  pushPublicKey
}
    `;

export function usePushPublicKeyQuery(options?: Omit<Urql.UseQueryArgs<PushPublicKeyQueryVariables>, 'query'>) {
  return Urql.useQuery<PushPublicKeyQuery, PushPublicKeyQueryVariables>({ query: PushPublicKeyDocument, ...options });
};
export const RegisterDeviceDocument = gql`
    mutation RegisterDevice($input: RegisterDeviceInput!) {
  registerDevice(input: $input) {
    deviceId
  }
}
    `;

export function useRegisterDeviceMutation() {
  return Urql.useMutation<RegisterDeviceMutation, RegisterDeviceMutationVariables>(RegisterDeviceDocument);
};
export const UnregisterDeviceDocument = gql`
    mutation UnregisterDevice($input: UnregisterDeviceInput!) {
  unregisterDevice(input: $input) {
    deviceId
  }
}
    `;

export function useUnregisterDeviceMutation() {
  return Urql.useMutation<UnregisterDeviceMutation, UnregisterDeviceMutationVariables>(UnregisterDeviceDocument);
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