/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { gql } from 'urql';
import * as Urql from 'urql';
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
/** A message to delete. */
export type AdminDeleteMessageInput = {
  /** An id of this deletion, from the same supply as those of messages; every retry carries the same one. */
  clientMessageId: string;
  /** Its conversation. */
  conversationId: string;
  /** Its seq. */
  seq: number;
};

/** Where a message goes: exactly one of the two. */
export type AdminRecipientInput =
  {   /** A conversation. The service need not be in it; whom it sends `as` must be. */
  conversationId: string; userId?: never; }
  |  { conversationId?: never;   /** A user: their direct chat with `as`, or else with the service. */
  userId: string; };

/** A message to send. */
export type AdminSendMessageInput = {
  /** The user who says it. Not given: the service says it in its own name, as SYSTEM. */
  as?: string | null | undefined;
  /** The text: 1 to 4,096 characters, at least one of them visible. */
  body: string;
  /** Made before the first attempt; every retry carries the same one. 1 to 64 of A-Z a-z 0-9 . _ : - */
  clientMessageId: string;
  /** For the app alone: an object of up to 4 KB as JSON. */
  metadata?: Record<string, unknown> | null | undefined;
  /** When it was sent elsewhere, for history that is brought along. It does not change the order. */
  sentAt?: string | null | undefined;
  /** Nobody is told by push. */
  silent?: boolean | null | undefined;
  /** Where it goes. */
  to: AdminRecipientInput;
};

/** What changes. What is not given stays. */
export type AdminUpdateConversationInput = {
  /** The conversation. */
  conversationId: string;
  /** An object of up to 4 KB as JSON. It replaces what was there; null takes it away. */
  metadata?: Record<string, unknown> | null | undefined;
  /** The new title of a group, 1 to 100 characters. A direct chat has none. */
  title?: string | null | undefined;
};

/** Who comes into a group and who goes. */
export type AdminUpdateMembersInput = {
  /** Who comes in, as a MEMBER. Who is in it already stays as they are. */
  add?: Array<string> | null | undefined;
  /** The group. */
  conversationId: string;
  /** Who goes, the owner too: then the group gets another one. */
  remove?: Array<string> | null | undefined;
};

/** A ban. */
export type BanUserInput = {
  /** When the ban ends. Null: it is for good. */
  until?: string | null | undefined;
  /** The user’s id. */
  userId: string;
};

/** A conversation. */
export type ConversationIdInput = {
  /** The conversation’s id. */
  conversationId: string;
};

/** A webhook to create. */
export type CreateWebhookInput = {
  /** An id of your own, so that a repeated call finds what the first one has made. 1 to 64 of A-Z a-z 0-9 . _ : - */
  clientWebhookId?: string | null | undefined;
  /** Which events. Not given: all. */
  eventTypes?: Array<string> | null | undefined;
  /** The position to begin after. Not given: from now on. */
  from?: string | null | undefined;
  /** Where events are posted. */
  url: string;
};

/** What is delivered again. */
export type RedeliverInput = {
  /** Only what was given up. */
  failedOnly?: boolean | null | undefined;
  /** The position after which everything is delivered again. */
  from?: string | null | undefined;
  /** The webhook. */
  webhookId: string;
};

/** Whether somebody has dealt with a report. */
export type ReportState =
  /** Nobody has yet. */
  | 'OPEN'
  /** Somebody has, and said how. */
  | 'RESOLVED';

/** How a report was dealt with. */
export type ResolveReportInput = {
  /** The report. */
  reportId: string;
  /** What was done, in the backend’s own words: 1 to 1,000 characters. */
  resolution: string;
};

/** Tokens that count no more. */
export type RevokeTokensInput = {
  /** Tokens with an earlier `iat`, and tokens without one, are refused. */
  issuedBefore: string;
  /** The user’s id. */
  userId: string;
};

/** How long messages are kept. */
export type SetRetentionInput = {
  /** The conversation. */
  conversationId: string;
  /** So many days. Null: for ever. */
  days?: number | null | undefined;
};

/** How far a task is. */
export type TaskState =
  /** It is done. */
  | 'DONE'
  /** It cannot be done; `error` says why. */
  | 'FAILED'
  /** It waits. */
  | 'QUEUED'
  /** A node works on it. */
  | 'RUNNING';

/** What changes. What is not given stays. */
export type UpdateWebhookInput = {
  /** Whether events are posted. What happens meanwhile is posted later. */
  enabled?: boolean | null | undefined;
  /** Which events; none or null: all. */
  eventTypes?: Array<string> | null | undefined;
  /** Makes a new secret, which the answer shows. The one before signs beside it for a day, in which the same is shown again. */
  rotateSecret?: boolean | null | undefined;
  /** Where events are posted. */
  url?: string | null | undefined;
  /** The webhook. */
  webhookId: string;
};

/** A user. */
export type UserIdInput = {
  /** The user’s id. */
  userId: string;
};

/** A webhook. */
export type WebhookIdInput = {
  /** The webhook’s id. */
  webhookId: string;
};

export type ConversationFieldsFragment = { id: string, kind: string, title: string | null, metadata: Record<string, unknown> | null, lastSeq: number, retentionDays: number | null, members: Array<{ userId: string, role: string, joinedSeq: number, lastDeliveredSeq: number, lastReadSeq: number }> };

export type ConversationQueryVariables = Exact<{
  id: string;
}>;


export type ConversationQuery = { conversation: { id: string, kind: string, title: string | null, metadata: Record<string, unknown> | null, lastSeq: number, retentionDays: number | null, members: Array<{ userId: string, role: string, joinedSeq: number, lastDeliveredSeq: number, lastReadSeq: number }> } | null };

export type ConversationsOfQueryVariables = Exact<{
  userId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConversationsOfQuery = { conversationsOf: { edges: Array<{ node: { id: string, kind: string, title: string | null, lastSeq: number } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type UpdateConversationMutationVariables = Exact<{
  input: AdminUpdateConversationInput;
}>;


export type UpdateConversationMutation = { updateConversation: { conversation: { id: string, kind: string, title: string | null, metadata: Record<string, unknown> | null, lastSeq: number, retentionDays: number | null, members: Array<{ userId: string, role: string, joinedSeq: number, lastDeliveredSeq: number, lastReadSeq: number }> } } };

export type UpdateMembersMutationVariables = Exact<{
  input: AdminUpdateMembersInput;
}>;


export type UpdateMembersMutation = { updateMembers: { conversation: { id: string, kind: string, title: string | null, metadata: Record<string, unknown> | null, lastSeq: number, retentionDays: number | null, members: Array<{ userId: string, role: string, joinedSeq: number, lastDeliveredSeq: number, lastReadSeq: number }> } } };

export type SetRetentionMutationVariables = Exact<{
  input: SetRetentionInput;
}>;


export type SetRetentionMutation = { setRetention: { conversation: { id: string, kind: string, title: string | null, metadata: Record<string, unknown> | null, lastSeq: number, retentionDays: number | null, members: Array<{ userId: string, role: string, joinedSeq: number, lastDeliveredSeq: number, lastReadSeq: number }> } } };

export type EventFieldsFragment = { id: string, type: string, occurredAt: string, conversationId: string | null, seq: number | null, data: Record<string, unknown>, position: string };

export type EventsSubscriptionVariables = Exact<{
  after?: string | null | undefined;
}>;


export type EventsSubscription = { events: { id: string, type: string, occurredAt: string, conversationId: string | null, seq: number | null, data: Record<string, unknown>, position: string } };

export type MessageFieldsFragment = { id: string, seq: number, kind: string, senderId: string, clientMessageId: string, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null };

export type MessagesQueryVariables = Exact<{
  conversationId: string;
  aroundSeq?: number | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type MessagesQuery = { messages: { edges: Array<{ cursor: string, node: { id: string, seq: number, kind: string, senderId: string, clientMessageId: string, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null } }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type SendMessageMutationVariables = Exact<{
  input: AdminSendMessageInput;
}>;


export type SendMessageMutation = { sendMessage: { duplicate: boolean, message: { id: string, seq: number, kind: string, senderId: string, clientMessageId: string, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null } } };

export type DeleteMessageMutationVariables = Exact<{
  input: AdminDeleteMessageInput;
}>;


export type DeleteMessageMutation = { deleteMessage: { message: { id: string, seq: number, kind: string, senderId: string, clientMessageId: string, body: string, metadata: Record<string, unknown> | null, sentAt: string, editedAt: string | null, deletedAt: string | null } } };

export type ReportFieldsFragment = { id: string, state: ReportState, reporterId: string, userId: string, conversationId: string | null, seq: number | null, body: string | null, reason: string, comment: string | null, createdAt: string, resolution: string | null };

export type ReportsQueryVariables = Exact<{
  state?: ReportState | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ReportsQuery = { reports: { edges: Array<{ node: { id: string, state: ReportState, reporterId: string, userId: string, conversationId: string | null, seq: number | null, body: string | null, reason: string, comment: string | null, createdAt: string, resolution: string | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ResolveReportMutationVariables = Exact<{
  input: ResolveReportInput;
}>;


export type ResolveReportMutation = { resolveReport: { report: { id: string, state: ReportState, reporterId: string, userId: string, conversationId: string | null, seq: number | null, body: string | null, reason: string, comment: string | null, createdAt: string, resolution: string | null } } };

export type SessionQueryVariables = Exact<{ [key: string]: never; }>;


export type SessionQuery = { __typename: 'Query' };

export type TaskFieldsFragment = { id: string, kind: string, state: TaskState, progress: number, url: string | null, error: string | null, createdAt: string, finishedAt: string | null };

export type TaskQueryVariables = Exact<{
  id: string;
}>;


export type TaskQuery = { task: { id: string, kind: string, state: TaskState, progress: number, url: string | null, error: string | null, createdAt: string, finishedAt: string | null } | null };

export type EraseUserMutationVariables = Exact<{
  input: UserIdInput;
}>;


export type EraseUserMutation = { eraseUser: { task: { id: string, kind: string, state: TaskState, progress: number, url: string | null, error: string | null, createdAt: string, finishedAt: string | null } } };

export type ExportUserMutationVariables = Exact<{
  input: UserIdInput;
}>;


export type ExportUserMutation = { exportUser: { task: { id: string, kind: string, state: TaskState, progress: number, url: string | null, error: string | null, createdAt: string, finishedAt: string | null } } };

export type ExportConversationMutationVariables = Exact<{
  input: ConversationIdInput;
}>;


export type ExportConversationMutation = { exportConversation: { task: { id: string, kind: string, state: TaskState, progress: number, url: string | null, error: string | null, createdAt: string, finishedAt: string | null } } };

export type UserFieldsFragment = { id: string, name: string | null, avatarUrl: string | null, metadata: Record<string, unknown> | null, banned: boolean, bannedUntil: string | null, erasedAt: string | null, lastSeenAt: string | null };

export type UserQueryVariables = Exact<{
  id: string;
}>;


export type UserQuery = { user: { id: string, name: string | null, avatarUrl: string | null, metadata: Record<string, unknown> | null, banned: boolean, bannedUntil: string | null, erasedAt: string | null, lastSeenAt: string | null } | null };

export type BanUserMutationVariables = Exact<{
  input: BanUserInput;
}>;


export type BanUserMutation = { banUser: { user: { id: string, name: string | null, avatarUrl: string | null, metadata: Record<string, unknown> | null, banned: boolean, bannedUntil: string | null, erasedAt: string | null, lastSeenAt: string | null } } };

export type UnbanUserMutationVariables = Exact<{
  input: UserIdInput;
}>;


export type UnbanUserMutation = { unbanUser: { user: { id: string, name: string | null, avatarUrl: string | null, metadata: Record<string, unknown> | null, banned: boolean, bannedUntil: string | null, erasedAt: string | null, lastSeenAt: string | null } } };

export type RevokeTokensMutationVariables = Exact<{
  input: RevokeTokensInput;
}>;


export type RevokeTokensMutation = { revokeTokens: { user: { id: string } } };

export type WebhookFieldsFragment = { id: string, url: string, eventTypes: Array<string>, enabled: boolean, disabledReason: string | null, position: string, lagSeconds: number };

export type WebhooksQueryVariables = Exact<{ [key: string]: never; }>;


export type WebhooksQuery = { webhooks: Array<{ id: string, url: string, eventTypes: Array<string>, enabled: boolean, disabledReason: string | null, position: string, lagSeconds: number }> };

export type FailedDeliveriesQueryVariables = Exact<{
  webhookId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type FailedDeliveriesQuery = { failedDeliveries: { edges: Array<{ node: { id: string, attempts: number, lastStatus: number | null, lastError: string | null, givenUpAt: string, event: { id: string, type: string, occurredAt: string, conversationId: string | null, seq: number | null, data: Record<string, unknown>, position: string } } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CreateWebhookMutationVariables = Exact<{
  input: CreateWebhookInput;
}>;


export type CreateWebhookMutation = { createWebhook: { webhook: { secret: string | null, id: string, url: string, eventTypes: Array<string>, enabled: boolean, disabledReason: string | null, position: string, lagSeconds: number } } };

export type UpdateWebhookMutationVariables = Exact<{
  input: UpdateWebhookInput;
}>;


export type UpdateWebhookMutation = { updateWebhook: { webhook: { secret: string | null, id: string, url: string, eventTypes: Array<string>, enabled: boolean, disabledReason: string | null, position: string, lagSeconds: number } } };

export type DeleteWebhookMutationVariables = Exact<{
  input: WebhookIdInput;
}>;


export type DeleteWebhookMutation = { deleteWebhook: { webhookId: string } };

export type RedeliverMutationVariables = Exact<{
  input: RedeliverInput;
}>;


export type RedeliverMutation = { redeliver: { webhook: { id: string, url: string, eventTypes: Array<string>, enabled: boolean, disabledReason: string | null, position: string, lagSeconds: number } } };

export const ConversationFieldsFragmentDoc = gql`
    fragment ConversationFields on AdminConversation {
  id
  kind
  title
  metadata
  lastSeq
  retentionDays
  members {
    userId
    role
    joinedSeq
    lastDeliveredSeq
    lastReadSeq
  }
}
    `;
export const EventFieldsFragmentDoc = gql`
    fragment EventFields on Event {
  id
  type
  occurredAt
  conversationId
  seq
  data
  position
}
    `;
export const MessageFieldsFragmentDoc = gql`
    fragment MessageFields on AdminMessage {
  id
  seq
  kind
  senderId
  clientMessageId
  body
  metadata
  sentAt
  editedAt
  deletedAt
}
    `;
export const ReportFieldsFragmentDoc = gql`
    fragment ReportFields on Report {
  id
  state
  reporterId
  userId
  conversationId
  seq
  body
  reason
  comment
  createdAt
  resolution
}
    `;
export const TaskFieldsFragmentDoc = gql`
    fragment TaskFields on Task {
  id
  kind
  state
  progress
  url
  error
  createdAt
  finishedAt
}
    `;
export const UserFieldsFragmentDoc = gql`
    fragment UserFields on AdminUser {
  id
  name
  avatarUrl
  metadata
  banned
  bannedUntil
  erasedAt
  lastSeenAt
}
    `;
export const WebhookFieldsFragmentDoc = gql`
    fragment WebhookFields on Webhook {
  id
  url
  eventTypes
  enabled
  disabledReason
  position
  lagSeconds
}
    `;
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
export const ConversationsOfDocument = gql`
    query ConversationsOf($userId: ID!, $first: Int, $after: String) {
  conversationsOf(userId: $userId, first: $first, after: $after) {
    edges {
      node {
        id
        kind
        title
        lastSeq
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `;

export function useConversationsOfQuery(options: Omit<Urql.UseQueryArgs<ConversationsOfQueryVariables>, 'query'>) {
  return Urql.useQuery<ConversationsOfQuery, ConversationsOfQueryVariables>({ query: ConversationsOfDocument, ...options });
};
export const UpdateConversationDocument = gql`
    mutation UpdateConversation($input: AdminUpdateConversationInput!) {
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
export const UpdateMembersDocument = gql`
    mutation UpdateMembers($input: AdminUpdateMembersInput!) {
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
export const SetRetentionDocument = gql`
    mutation SetRetention($input: SetRetentionInput!) {
  setRetention(input: $input) {
    conversation {
      ...ConversationFields
    }
  }
}
    ${ConversationFieldsFragmentDoc}`;

export function useSetRetentionMutation() {
  return Urql.useMutation<SetRetentionMutation, SetRetentionMutationVariables>(SetRetentionDocument);
};
export const EventsDocument = gql`
    subscription Events($after: String) {
  events(after: $after) {
    ...EventFields
  }
}
    ${EventFieldsFragmentDoc}`;

export function useEventsSubscription<TData = EventsSubscription>(options?: Omit<Urql.UseSubscriptionArgs<EventsSubscriptionVariables>, 'query'>, handler?: Urql.SubscriptionHandler<EventsSubscription, TData>) {
  return Urql.useSubscription<EventsSubscription, TData, EventsSubscriptionVariables>({ query: EventsDocument, ...options }, handler);
};
export const MessagesDocument = gql`
    query Messages($conversationId: ID!, $aroundSeq: Int, $first: Int, $after: String, $last: Int, $before: String) {
  messages(
    conversationId: $conversationId
    aroundSeq: $aroundSeq
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
export const SendMessageDocument = gql`
    mutation SendMessage($input: AdminSendMessageInput!) {
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
export const DeleteMessageDocument = gql`
    mutation DeleteMessage($input: AdminDeleteMessageInput!) {
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
export const ReportsDocument = gql`
    query Reports($state: ReportState, $first: Int, $after: String) {
  reports(state: $state, first: $first, after: $after) {
    edges {
      node {
        ...ReportFields
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    ${ReportFieldsFragmentDoc}`;

export function useReportsQuery(options?: Omit<Urql.UseQueryArgs<ReportsQueryVariables>, 'query'>) {
  return Urql.useQuery<ReportsQuery, ReportsQueryVariables>({ query: ReportsDocument, ...options });
};
export const ResolveReportDocument = gql`
    mutation ResolveReport($input: ResolveReportInput!) {
  resolveReport(input: $input) {
    report {
      ...ReportFields
    }
  }
}
    ${ReportFieldsFragmentDoc}`;

export function useResolveReportMutation() {
  return Urql.useMutation<ResolveReportMutation, ResolveReportMutationVariables>(ResolveReportDocument);
};
export const SessionDocument = gql`
    query Session {
  __typename
}
    `;

export function useSessionQuery(options?: Omit<Urql.UseQueryArgs<SessionQueryVariables>, 'query'>) {
  return Urql.useQuery<SessionQuery, SessionQueryVariables>({ query: SessionDocument, ...options });
};
export const TaskDocument = gql`
    query Task($id: ID!) {
  task(id: $id) {
    ...TaskFields
  }
}
    ${TaskFieldsFragmentDoc}`;

export function useTaskQuery(options: Omit<Urql.UseQueryArgs<TaskQueryVariables>, 'query'>) {
  return Urql.useQuery<TaskQuery, TaskQueryVariables>({ query: TaskDocument, ...options });
};
export const EraseUserDocument = gql`
    mutation EraseUser($input: UserIdInput!) {
  eraseUser(input: $input) {
    task {
      ...TaskFields
    }
  }
}
    ${TaskFieldsFragmentDoc}`;

export function useEraseUserMutation() {
  return Urql.useMutation<EraseUserMutation, EraseUserMutationVariables>(EraseUserDocument);
};
export const ExportUserDocument = gql`
    mutation ExportUser($input: UserIdInput!) {
  exportUser(input: $input) {
    task {
      ...TaskFields
    }
  }
}
    ${TaskFieldsFragmentDoc}`;

export function useExportUserMutation() {
  return Urql.useMutation<ExportUserMutation, ExportUserMutationVariables>(ExportUserDocument);
};
export const ExportConversationDocument = gql`
    mutation ExportConversation($input: ConversationIdInput!) {
  exportConversation(input: $input) {
    task {
      ...TaskFields
    }
  }
}
    ${TaskFieldsFragmentDoc}`;

export function useExportConversationMutation() {
  return Urql.useMutation<ExportConversationMutation, ExportConversationMutationVariables>(ExportConversationDocument);
};
export const UserDocument = gql`
    query User($id: ID!) {
  user(id: $id) {
    ...UserFields
  }
}
    ${UserFieldsFragmentDoc}`;

export function useUserQuery(options: Omit<Urql.UseQueryArgs<UserQueryVariables>, 'query'>) {
  return Urql.useQuery<UserQuery, UserQueryVariables>({ query: UserDocument, ...options });
};
export const BanUserDocument = gql`
    mutation BanUser($input: BanUserInput!) {
  banUser(input: $input) {
    user {
      ...UserFields
    }
  }
}
    ${UserFieldsFragmentDoc}`;

export function useBanUserMutation() {
  return Urql.useMutation<BanUserMutation, BanUserMutationVariables>(BanUserDocument);
};
export const UnbanUserDocument = gql`
    mutation UnbanUser($input: UserIdInput!) {
  unbanUser(input: $input) {
    user {
      ...UserFields
    }
  }
}
    ${UserFieldsFragmentDoc}`;

export function useUnbanUserMutation() {
  return Urql.useMutation<UnbanUserMutation, UnbanUserMutationVariables>(UnbanUserDocument);
};
export const RevokeTokensDocument = gql`
    mutation RevokeTokens($input: RevokeTokensInput!) {
  revokeTokens(input: $input) {
    user {
      id
    }
  }
}
    `;

export function useRevokeTokensMutation() {
  return Urql.useMutation<RevokeTokensMutation, RevokeTokensMutationVariables>(RevokeTokensDocument);
};
export const WebhooksDocument = gql`
    query Webhooks {
  webhooks {
    ...WebhookFields
  }
}
    ${WebhookFieldsFragmentDoc}`;

export function useWebhooksQuery(options?: Omit<Urql.UseQueryArgs<WebhooksQueryVariables>, 'query'>) {
  return Urql.useQuery<WebhooksQuery, WebhooksQueryVariables>({ query: WebhooksDocument, ...options });
};
export const FailedDeliveriesDocument = gql`
    query FailedDeliveries($webhookId: ID!, $first: Int, $after: String) {
  failedDeliveries(webhookId: $webhookId, first: $first, after: $after) {
    edges {
      node {
        id
        attempts
        lastStatus
        lastError
        givenUpAt
        event {
          ...EventFields
        }
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    ${EventFieldsFragmentDoc}`;

export function useFailedDeliveriesQuery(options: Omit<Urql.UseQueryArgs<FailedDeliveriesQueryVariables>, 'query'>) {
  return Urql.useQuery<FailedDeliveriesQuery, FailedDeliveriesQueryVariables>({ query: FailedDeliveriesDocument, ...options });
};
export const CreateWebhookDocument = gql`
    mutation CreateWebhook($input: CreateWebhookInput!) {
  createWebhook(input: $input) {
    webhook {
      ...WebhookFields
      secret
    }
  }
}
    ${WebhookFieldsFragmentDoc}`;

export function useCreateWebhookMutation() {
  return Urql.useMutation<CreateWebhookMutation, CreateWebhookMutationVariables>(CreateWebhookDocument);
};
export const UpdateWebhookDocument = gql`
    mutation UpdateWebhook($input: UpdateWebhookInput!) {
  updateWebhook(input: $input) {
    webhook {
      ...WebhookFields
      secret
    }
  }
}
    ${WebhookFieldsFragmentDoc}`;

export function useUpdateWebhookMutation() {
  return Urql.useMutation<UpdateWebhookMutation, UpdateWebhookMutationVariables>(UpdateWebhookDocument);
};
export const DeleteWebhookDocument = gql`
    mutation DeleteWebhook($input: WebhookIdInput!) {
  deleteWebhook(input: $input) {
    webhookId
  }
}
    `;

export function useDeleteWebhookMutation() {
  return Urql.useMutation<DeleteWebhookMutation, DeleteWebhookMutationVariables>(DeleteWebhookDocument);
};
export const RedeliverDocument = gql`
    mutation Redeliver($input: RedeliverInput!) {
  redeliver(input: $input) {
    webhook {
      ...WebhookFields
    }
  }
}
    ${WebhookFieldsFragmentDoc}`;

export function useRedeliverMutation() {
  return Urql.useMutation<RedeliverMutation, RedeliverMutationVariables>(RedeliverDocument);
};