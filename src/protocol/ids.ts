// Every identifier of the system: its type, its rule, and how it is put together. docs/api.md, "Values", has the rules.

declare const brand: unique symbol
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name }

/** The unchanged `sub` of the token. */
export type UserId = Branded<string, 'UserId'>
/** `dm_…` (a hash of the two members) or `grp_…` (a Snowflake). */
export type ConversationId = Branded<string, 'ConversationId'>
/** The sender's device makes it before the first attempt. */
export type ClientMessageId = Branded<string, 'ClientMessageId'>
/** A Snowflake, as a decimal string. */
export type MessageId = Branded<string, 'MessageId'>
/** Names an upload, even before its bytes are stored, and later the attachment of a message. */
export type AttachmentId = Branded<string, 'AttachmentId'>
/** Names an installation that can be pushed to. The installation makes it, and it is unique among those of its user. */
export type DeviceId = Branded<string, 'DeviceId'>
/** A position in a conversation's log: 1, 2, 3 … ; 0 stands before the first. */
export type Seq = number

const userIdRule = /^(?!dm_|grp_|msg_)[A-Za-z0-9._@|:-]{1,128}$/
const clientMessageIdRule = /^[A-Za-z0-9._:-]{1,64}$/
const conversationIdRule = /^(dm|grp)_[A-Za-z0-9_-]{1,64}$/

export const isUserId = (value: unknown): value is UserId => typeof value === 'string' && userIdRule.test(value)

export const isClientMessageId = (value: unknown): value is ClientMessageId =>
  typeof value === 'string' && clientMessageIdRule.test(value)

export const isDeviceId = (value: unknown): value is DeviceId =>
  typeof value === 'string' && clientMessageIdRule.test(value)

export const isConversationId = (value: unknown): value is ConversationId =>
  typeof value === 'string' && conversationIdRule.test(value)

export const groupIdOf = (snowflake: MessageId): ConversationId => `grp_${snowflake}` as ConversationId

export const isGroupId = (id: ConversationId): boolean => id.startsWith('grp_')

/** Where a row of the log is: enough to read it in one step. */
export type MessageAddress = { conversationId: ConversationId; seq: Seq }

export const messageNodeId = ({ conversationId, seq }: MessageAddress): string => `msg_${conversationId}_${seq}`

const messageNodeIdRule = /^msg_(.+)_([1-9]\d{0,9})$/

export function parseMessageNodeId(id: string): MessageAddress | undefined {
  const [, conversationId, seq] = messageNodeIdRule.exec(id) ?? []
  if (!isConversationId(conversationId)) return undefined
  return { conversationId, seq: Number(seq) }
}

const attachmentIdRule = /^att_([0-9a-z]{1,8})_([0-9a-f][0-9A-Za-z-]{7,63})$/

/** The id holds the hour in which the upload expires, counted from 1970, as that is part of its row's key. `unique` begins with a hex digit. */
export const attachmentId = (expiryHour: number, unique: string): AttachmentId =>
  `att_${expiryHour.toString(36)}_${unique}` as AttachmentId

export const isAttachmentId = (value: unknown): value is AttachmentId =>
  typeof value === 'string' && attachmentIdRule.test(value)

export function partsOfAttachmentId(id: AttachmentId): { expiryHour: number; unique: string } {
  const [, hour = '', unique = ''] = attachmentIdRule.exec(id) ?? []
  return { expiryHour: Number.parseInt(hour, 36), unique }
}
