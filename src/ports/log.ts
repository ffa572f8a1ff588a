// The log of a conversation, and who put what where. In DynamoDB: slow, never forgets.

import type {
  AttachmentId,
  ClientMessageId,
  ConversationId,
  MessageAddress,
  MessageId,
  Seq,
  UserId,
} from '../protocol/ids.ts'
import type { Role } from './conversations.ts'

/** What somebody put into a conversation's log. */
export type Entry = MessageAddress & {
  messageId: MessageId
  clientMessageId: ClientMessageId
  senderId: UserId
  sentAtMs: number
}

/**
 * `seq`: of the change that set it. One that was taken back stays for a while, so that a late change does not bring it back
 * (protocol/alterations.ts). `changes`: how many this person has made of their reactions to this message. `floor`: the highest seq of
 * theirs that has found no room, if any.
 */
export type Reaction = { emoji: string; userId: UserId; seq: Seq; on: boolean; changes?: number; floor?: Seq }

/** A file of a message. `key`: where its bytes lie. */
export type Attachment = { id: AttachmentId; key: string; contentType: string; byteSize: number; name?: string }

/** A message, with what later changes have made of it. */
export type Message = Entry & {
  kind: 'message'
  /** Empty once it is deleted. */
  body: string
  replyToSeq?: Seq
  /** Gone once it is deleted. */
  attachments?: readonly Attachment[]
  edited?: { seq: Seq; atMs: number }
  /** How many edits it has shown. */
  edits?: number
  deletedAtMs?: number
  /** By seq. */
  reactions?: readonly Reaction[]
}

/** What is done to a message later. An edit that does not show any more has lost its text. */
export type Alteration =
  | { type: 'edit'; body: string }
  | { type: 'delete' }
  | { type: 'reaction'; emoji: string; on: boolean }

/** An alteration, with a place of its own in the log: whoever was away meets it there. */
export type Change = Entry & {
  kind: 'change'
  targetSeq: Seq
  alteration: Alteration
  /** In an event: the message as it was then, which saves its readers a read each. Not in the log. */
  target?: Message
}

/**
 * A change of the group itself: who is in it, with which role, what it is called. It was made for one version of the group, and takes
 * effect only on that one: of several made for the same version, the first to be applied.
 */
export type GroupChange = Entry & {
  kind: 'group'
  baseVersion: Seq
  added: readonly UserId[]
  removed: readonly UserId[]
  /** Of those added, and of others who get another one. Whoever is added without one is a MEMBER. */
  roles: readonly { userId: UserId; role: Role }[]
  title?: string
  /** In an event: it has taken effect, which saves its readers a read each. Not in the log. */
  applied?: true
}

/** A number that was skipped, for good. */
export type Void = MessageAddress & { kind: 'void' }

/** A cell of a conversation's log: written once. Only what a message shows changes, by the changes above it. */
export type LogRow = LogEntry | Void
export type LogEntry = Message | Change | GroupChange

/** `upTo`: the last cell it was looked at, at most `before` - 1. `whole`: none of the cells up to there is empty. */
type OfOthers = { seqs: readonly Seq[]; upTo: Seq; whole: boolean }

export interface MessageLog {
  /** Writes the row if its cell is empty. */
  put(row: LogRow): Promise<'written' | 'taken'>
  /**
   * Lets the target show the change, unless it shows a later one of its kind, is deleted, or has no room left in its row. Twice does no
   * more than once. Takes the text out of every edit of it that shows no more. Returns the message as it is now, or undefined where there
   * is none.
   */
  alter(change: Change): Promise<Message | undefined>
  get(address: MessageAddress): Promise<LogRow | undefined>
  /** Those of the cells that are not empty, in any order. */
  getMany(addresses: readonly MessageAddress[]): Promise<LogRow[]>
  /** The first `limit` rows with seq > after, ascending; fewer only where the log ends. */
  above(conversationId: ConversationId, after: Seq, limit: number): Promise<readonly LogRow[]>
  /** The last `limit` rows with seq < before, descending; fewer only where the log begins. */
  below(conversationId: ConversationId, before: Seq, limit: number): Promise<readonly LogRow[]>
  /**
   * Looks at the cells with after < seq < before, ascending, and at no more than `limit` that are taken: which of them are messages that
   * are not by this sender and not deleted?
   */
  ofOthers(
    conversationId: ConversationId,
    between: { after: Seq; before: Seq },
    senderId: UserId,
    limit: number,
  ): Promise<OfOthers>
}

/** The one place where a send's seq is decided. Never expires: a retry may come at any age (P2). */
export type Claim = {
  senderId: UserId
  clientMessageId: ClientMessageId
  conversationId: ConversationId
  seq: Seq
  payloadHash: string
}

export interface Claims {
  /** Puts the claim if there is none. Returns the claim that stands: this one, or the earlier one. */
  claim(claim: Claim): Promise<Claim>
  get(senderId: UserId, clientMessageId: ClientMessageId): Promise<Claim | undefined>
  /** Moves the claim to another seq IF it still has `claim.seq`. */
  move(claim: Claim, toSeq: Seq): Promise<boolean>
}
