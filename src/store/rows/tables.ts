import type { DynamoClient } from '../../engine/dynamodb/client.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Conversation, Role } from '../../ports/conversations.ts'
import type { FactType, FeedRow } from '../../ports/feed.ts'
import type { Alteration, LogRow } from '../../ports/log.ts'
import type { PushPlatform } from '../../ports/push.ts'
import type { ReportId, ReportReason, ReportState } from '../../ports/reports.ts'
import type { TaskKind, TaskState } from '../../ports/tasks.ts'
import type { AttachmentId, ClientMessageId, ConversationId, DeviceId, MessageId, UserId } from '../../protocol/ids.ts'

// This lists every table. The tables are created, validated and typed from here. `key` is the partition key and then, if any, the sort key.
// In DynamoDB a table's name begins with the prefix.

type ColumnType = 'S' | 'N' | 'L' | 'M'

/** `value` exists only for its type. */
export type Column<Value = unknown, Type extends ColumnType = ColumnType> = {
  readonly type: Type
  readonly value?: Value
}

const text = <Value extends string = string>(): Column<Value, 'S'> => ({ type: 'S' })
const texts = <Value extends string>(): Column<Value[], 'L'> => ({ type: 'L' })
const integers = (): Column<Record<string, number>, 'M'> => ({ type: 'M' })
const textMap = (): Column<Record<string, string>, 'M'> => ({ type: 'M' })
const integerList = (): Column<number[], 'L'> => ({ type: 'L' })
const integer = (): Column<number, 'N'> => ({ type: 'N' })
/** Marks a column that not every row has. */
const maybe = <Value, Type extends ColumnType>(column: Column<Value, Type>): Column<Value | undefined, Type> => column

export const tables = {
  /** These are the logs. A void has its key and its kind, and nothing else. A change of a message has a target and what it does to it. */
  messages: {
    key: { conversation_id: text<ConversationId>(), seq: integer() },
    columns: {
      kind: text<LogRow['kind']>(),
      /** 1 in a message that a backend has said in its own name. */
      system: maybe(integer()),
      message_id: text<MessageId>(),
      client_message_id: text<ClientMessageId>(),
      sender_id: text<UserId>(),
      /** It is absent once the message is deleted. An edit's is the new text, absent once the message shows another one or is deleted. */
      body: maybe(text()),
      /** RFC 3339 in UTC, with milliseconds. */
      sent_at: text(),
      /** The attachments, as JSON: a list of key, contentType, byteSize, name. It is absent once the message is deleted. */
      s3_ref: maybe(text()),
      /** This is the text of a JSON object, as the sender's app gave it. It is absent once the message is deleted. */
      metadata: maybe(text()),
      /** 1 where the operator's backend has replaced the text before it was stored. */
      replaced: maybe(integer()),
      reply_to_seq: maybe(integer()),
      edited_at: maybe(text()),
      edited_seq: maybe(integer()),
      /** How many edits the message has shown. */
      edits: maybe(integer()),
      deleted_at: maybe(text()),
      /** user_id → how many changes they made of their reactions, and what is kept of those (reaction-columns.ts). */
      reacted: maybe(textMap()),
      /** Only rows of earlier releases have it: "emoji user_id" → the seq of the change that set it, negative if it was taken back. */
      reactions: maybe(integers()),
      target_seq: maybe(integer()),
      alteration: maybe(text<Alteration['type']>()),
      emoji: maybe(text()),
      /** 1 means to react, 0 to take the reaction back. */
      reaction_on: maybe(integer()),
      /** This is JSON: who was added, who removed, and so on. The names are those of the API. */
      group_change: maybe(text()),
      /** Where the feed announces the entry. */
      feed_position: maybe(integer()),
    },
  },
  /** These are the claims. They never expire, unless SENDS_TTL_DAYS says so. */
  sends: {
    /** sender_id#client_message_id. A user id cannot hold a '#'; the client_message_id of a new group begins with one. */
    key: { send_key: text() },
    columns: {
      /** Short rows do without this column and the next (claim-row.ts). */
      sender_id: maybe(text<UserId>()),
      client_message_id: maybe(text<ClientMessageId>()),
      conversation_id: text<ConversationId>(),
      seq: integer(),
      payload_hash: text(),
      /** Seconds since 1970, as the TTL of DynamoDB has them. Only rows written with SENDS_TTL_DAYS have it. */
      expires_at_s: maybe(integer()),
    },
  },
  pending_deliveries: {
    key: { receiver_id: text<UserId>(), conversation_id: text<ConversationId>() },
    columns: { first_undelivered_seq: integer() },
  },
  message_status: {
    key: { user_id: text<UserId>(), conversation_id: text<ConversationId>() },
    columns: { last_delivered_seq: maybe(integer()), last_read_seq: maybe(integer()) },
  },
  conversations: {
    key: { conversation_id: text<ConversationId>() },
    columns: {
      kind: text<Conversation['kind']>(),
      members: texts<UserId>(),
      /** The text of a JSON object, as a backend gave it. */
      metadata: maybe(text()),
      /** After how many days messages go. Absent: they stay. */
      retention_days: maybe(integer()),
      /** Nobody sees what is at or below it. It only rises, like emptied_seq. */
      floor_seq: maybe(integer()),
      /** Cells up to here hold nothing any more. */
      emptied_seq: maybe(integer()),
      /** Only groups have this column and those below. */
      title: maybe(text()),
      /** They are in the order of the members, like joined_seqs. */
      roles: maybe(texts<Role>()),
      joined_seqs: maybe(integerList()),
      version: maybe(integer()),
      /** Rows of earlier releases have no such column. */
      past_versions: maybe(integerList()),
    },
  },
  memberships: {
    key: { user_id: text<UserId>(), conversation_id: text<ConversationId>() },
    columns: {
      joined_seq: integer(),
      /** RFC 3339 in UTC, with milliseconds. */
      muted_until: maybe(text()),
      /** 1 or 0. */
      pinned: maybe(integer()),
      archived: maybe(integer()),
    },
  },
  users: {
    key: { user_id: text<UserId>() },
    columns: {
      name: maybe(text()),
      own_name: maybe(text()),
      avatar_url: maybe(text()),
      /** The text of a JSON object, as a backend gave it. */
      metadata: maybe(text()),
      /** RFC 3339 in UTC, with milliseconds. A user who has it has nothing else. */
      erased_at: maybe(text()),
      /** Only one row has it, which is no user's; see deployment.ts. */
      deployment_id: maybe(text()),
    },
  },
  /** A row says that user_id has blocked blocked_id, or that they have left the group of that id, at left_at_ms. */
  blocks: {
    key: { user_id: text<UserId>(), blocked_id: text<UserId | ConversationId>() },
    columns: { left_at_ms: maybe(integer()) },
  },
  /** These are files that were announced and not yet swept, and one row that says how far the sweep has come. */
  uploads: {
    /** The hour of expiry, counted from 1970, and a hex digit that spreads it: what has expired is found without a scan. */
    key: { due: text(), upload_id: text<AttachmentId | 'swept'>() },
    columns: {
      owner_id: maybe(text<UserId>()),
      s3_ref: maybe(text()),
      content_type: maybe(text()),
      byte_size: maybe(integer()),
      name: maybe(text()),
      /** RFC 3339 in UTC, with milliseconds. */
      expires_at: maybe(text()),
      /** The send that the upload belongs to. */
      client_message_id: maybe(text<ClientMessageId>()),
      swept_hour: maybe(integer()),
    },
  },
  /** Users can be pushed to on these devices. */
  devices: {
    key: { user_id: text<UserId>(), device_id: text<DeviceId>() },
    columns: {
      platform: text<PushPlatform>(),
      push_token: text(),
      /** RFC 3339 in UTC, with milliseconds. */
      registered_at: text(),
    },
  },
  /** This names the owner of each token. It is the truth where a device's row says otherwise. */
  push_tokens: {
    /** SHA-256 of platform and token, as base64url. */
    key: { token_hash: text() },
    columns: { user_id: text<UserId>(), device_id: text<DeviceId>() },
  },
  /** Where each device began that lets the server keep its positions. Put once. */
  device_starts: {
    key: { user_id: text<UserId>(), device_id: text<DeviceId>() },
    columns: {
      /** conversation_id → seq. */
      start_seqs: integers(),
      /** RFC 3339 in UTC, with milliseconds: when the device was last used, to the hour. */
      used_at: text(),
    },
  },
  /** What such a device has acked, of the stream of messages and of the stream of changes. */
  device_positions: {
    /** user_id#device_id: neither of them can hold a '#'. */
    key: { device_key: text(), conversation_id: text<ConversationId>() },
    columns: { message_seq: maybe(integer()), change_seq: maybe(integer()) },
  },
  /** The feed for backends, and at position 0 of each partition where its rows begin. */
  feed: {
    key: { partition_id: text(), feed_position: integer() },
    columns: {
      kind: text<FeedRow['kind'] | 'start'>(),
      /** When it was announced: RFC 3339 in UTC, with milliseconds. */
      announced_at: maybe(text()),
      /** In seconds since 1970: TTL removes the row after that. */
      expires_at_s: maybe(integer()),
      /** The entry of a conversation's log that is announced. */
      conversation_id: maybe(text<ConversationId>()),
      seq: maybe(integer()),
      /** Of something that no log has. */
      event_id: maybe(text()),
      event_type: maybe(text<FactType>()),
      user_id: maybe(text<UserId>()),
      data: maybe(text()),
      /** Of position 0: the rows of this partition are above it. */
      starts_above: maybe(integer()),
    },
  },
  /** Who is banned, and which tokens do not count any more. Nodes read all of it at their start, so it is in one partition. */
  restrictions: {
    /** `all`, and user_id#ban or user_id#tokens; `version` twice for the one row that counts the changes. */
    key: { list_name: text<'all' | 'version'>(), restriction_key: text() },
    columns: {
      user_id: maybe(text<UserId>()),
      /** Of a ban: RFC 3339 in UTC, with milliseconds. It is absent where the ban is for good. */
      banned_until: maybe(text()),
      /** Of tokens, in the same form. */
      issued_before: maybe(text()),
      /** Seconds since 1970: TTL removes a ban that is over. */
      expires_at_s: maybe(integer()),
      version: maybe(integer()),
    },
  },
  /** What users have reported, and lists of that. */
  reports: {
    /**
     * `report#` and the id for a report; or a list: `open` and `resolved`, by the time and the id, and `user#` and the id of its reporter or of who is
     * reported, by the id.
     */
    key: { report_list: text(), report_entry: text() },
    columns: {
      report_id: text<ReportId>(),
      /** Only a report itself has this column and those below. */
      report_state: maybe(text<ReportState>()),
      reporter_id: maybe(text<UserId>()),
      user_id: maybe(text<UserId>()),
      conversation_id: maybe(text<ConversationId>()),
      seq: maybe(integer()),
      /** As it was when it was reported. */
      body: maybe(text()),
      reason: maybe(text<ReportReason>()),
      reporter_comment: maybe(text()),
      /** RFC 3339 in UTC, with milliseconds. */
      created_at: maybe(text()),
      resolution: maybe(text()),
      /** 1 once backends were told. */
      told: maybe(integer()),
    },
  },
  /** Who does what only one node should do at a time. */
  leases: {
    key: { lease_name: text() },
    columns: { holder: text(), version: integer(), held_until_ms: integer() },
  },
  /** Long work for backends, one row for each kind and subject. */
  tasks: {
    key: { task_id: text() },
    columns: {
      kind: text<TaskKind>(),
      run_id: text(),
      /** The user or the conversation; absent once a user is erased. */
      subject: maybe(text()),
      state: text<TaskState>(),
      /** From 0 to 1. */
      progress: integer(),
      /** RFC 3339 in UTC, with milliseconds. */
      created_at: text(),
      finished_at: maybe(text()),
      /** JSON: where the work goes on. */
      work_cursor: maybe(text()),
      failures: integer(),
      error: maybe(text()),
      /** JSON: the file that was made. */
      result: maybe(text()),
      lease_version: integer(),
    },
  },
  /** What is to be done from a time on: all in one list, in the order of that time. */
  timers: {
    /** The only list is `due`. Of an entry the time in milliseconds since 1970, with 15 digits, then # kind # subject. */
    key: { timer_list: text<'due'>(), timer_entry: text() },
    columns: {},
  },
  /** Where events are posted. They are few, and all have the same list_name. */
  webhooks: {
    key: { list_name: text(), webhook_id: text() },
    /** This is JSON. */
    columns: { version: integer(), definition: text() },
  },
  /** How far each share of each webhook is. */
  webhook_shares: {
    key: { webhook_id: text(), share: integer() },
    /** The version of the lease under which it was written, and JSON. */
    columns: { lease_version: integer(), progress: text() },
  },
  /** What was given up. */
  webhook_failures: {
    key: { webhook_id: text(), failure_id: text() },
    /** This is JSON. It names the event, and quotes nobody. */
    columns: { failure: text(), expires_at_s: integer() },
  },
}

export type TableName = keyof typeof tables
/** DynamoDB may remove a row of these tables by itself, once the time in this column is over. Rows without the column stay. */
export const ttlColumns: { readonly [Name in TableName]?: keyof (typeof tables)[Name]['columns'] } = {
  sends: 'expires_at_s',
  feed: 'expires_at_s',
  restrictions: 'expires_at_s',
  webhook_failures: 'expires_at_s',
}
export const tableNames = Object.keys(tables) as TableName[]

type Values<Columns> = { [C in keyof Columns]: Columns[C] extends Column<infer Value> ? Value : never }
export type Key<Name extends TableName> = Values<(typeof tables)[Name]['key']>
export type Item<Name extends TableName> = Key<Name> & Values<(typeof tables)[Name]['columns']>

/** What a store on DynamoDB is built from. */
export type Dynamo = { client: DynamoClient; clock: Clock; tablePrefix: string }
