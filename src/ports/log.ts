// The log of a conversation, and the claims on it. DynamoDB holds them: it is slow and never forgets.

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
import type { FeedPosition } from './feed.ts'

/** What a user has put into a conversation's log. */
export type Entry = MessageAddress & {
  messageId: MessageId
  clientMessageId: ClientMessageId
  senderId: UserId
  sentAtMs: number
  /** Where the feed announces it, if there is a feed. */
  feedPosition?: FeedPosition
}

/**
 * `seq` is that of the change that set the reaction. A reaction that was taken back stays for a while, so that a late change does not bring
 * it back (protocol/alterations.ts). `changes` counts the changes this person has made of their reactions to this message. `floor` is the
 * highest seq of theirs that has found no room, if any.
 */
export type Reaction = { emoji: string; userId: UserId; seq: Seq; on: boolean; changes?: number; floor?: Seq }

/** A file of a message. `key` says where its bytes are stored. */
export type Attachment = { id: AttachmentId; key: string; contentType: string; byteSize: number; name?: string }

/** A message, with what later changes have made of it. */
export type Message = Entry & {
  kind: 'message'
  /** A backend has said it in its own name: the sender is a service. */
  system?: true
  /** It is empty once the message is deleted. */
  body: string
  replyToSeq?: Seq
  /** What the sender's app has put beside the text: the text of a JSON object. It is absent once the message is deleted. */
  metadata?: string
  /** Its body and metadata were not the sender's own: the operator's backend replaced them before the message was stored. */
  replaced?: true
  /** They are absent once the message is deleted. */
  attachments?: readonly Attachment[]
  edited?: { seq: Seq; atMs: number }
  /** How many edits the message has shown. */
  edits?: number
  deletedAtMs?: number
  /** They are sorted by seq. */
  reactions?: readonly Reaction[]
}

/** What is done to a message after it was sent. An edit that no longer shows has lost its text. */
export type Alteration =
  | { type: 'edit'; body: string }
  | { type: 'delete' }
  | { type: 'reaction'; emoji: string; on: boolean }

/** An alteration with a cell of its own in the log, where a reader that was away finds it. */
export type Change = Entry & {
  kind: 'change'
  targetSeq: Seq
  alteration: Alteration
  /** The operator's backend replaced the text of this edit before it was stored. */
  replaced?: true
  /** Only an event has it: the message as it was then, which saves its readers a read each. */
  target?: Message
}

/**
 * A change of the group itself: of its members, their roles, or the title. It was made for one version of the group and takes effect only on
 * that one. Of several changes made for the same version, the first to be applied takes effect.
 */
export type GroupChange = Entry & {
  kind: 'group'
  baseVersion: Seq
  added: readonly UserId[]
  removed: readonly UserId[]
  /** The roles of added members and of members whose role changes. Who is added without a role becomes a MEMBER. */
  roles: readonly { userId: UserId; role: Role }[]
  title?: string
  /** What a backend has put beside the group: the text of a JSON object. Null takes it away. */
  metadata?: string | null
  /** Only an event has it: the change has taken effect, which saves its readers a read each. */
  applied?: true
}

/** A seq that was skipped for good. */
export type Void = MessageAddress & { kind: 'void' }

/** A cell of a conversation's log. It is written once; only what a message shows is changed, by the changes above it. */
export type LogRow = LogEntry | Void
export type LogEntry = Message | Change | GroupChange

/** A user who is erased, and who stands in their place. */
export type Erased = { userId: UserId; pseudonym: UserId; atMs: number }

/** `upTo` is the last cell that was looked at, at most `before` - 1. `whole`: none of the cells up to there is empty. */
type OfOthers = { seqs: readonly Seq[]; upTo: Seq; whole: boolean }

export interface MessageLog {
  /** Writes the row if its cell is empty. */
  put(row: LogRow): Promise<'written' | 'taken'>
  /**
   * Lets the target show the change, unless it shows a later one of its kind, is deleted, or has no room left in its row. Calling it twice
   * does no more than calling it once. Removes the text of every edit that no longer shows. Returns the message as it is now, or undefined
   * where there is none.
   */
  alter(change: Change): Promise<Message | undefined>
  /**
   * Takes everything of this user out of the cell: of an entry of theirs its words, files and client id, of a message of somebody else their
   * reactions; and puts the pseudonym where their id is. Returns whether there was anything. It is for a user who can write no more.
   */
  erase(address: MessageAddress, erased: Erased): Promise<boolean>
  /**
   * Takes everything out of a cell whose time is over. What remains is a void; or, with `entry`, an entry of the same author and time that says
   * nothing, and that no reader shows. A void and a change of the group stay as they are.
   */
  empty(address: MessageAddress, as: 'void' | 'entry'): Promise<void>
  get(address: MessageAddress): Promise<LogRow | undefined>
  /** Returns the rows of those cells that are not empty, in any order. */
  getMany(addresses: readonly MessageAddress[]): Promise<LogRow[]>
  /** Returns the first `limit` rows with seq > after, ascending; fewer only where the log ends. */
  above(conversationId: ConversationId, after: Seq, limit: number): Promise<readonly LogRow[]>
  /** Returns the last `limit` rows with seq < before, descending; fewer only where the log begins. */
  below(conversationId: ConversationId, before: Seq, limit: number): Promise<readonly LogRow[]>
  /**
   * Looks at the cells with after < seq < before, ascending, and at no more than `limit` that are taken. Returns the seqs of those that are
   * messages, not by this sender and not deleted.
   */
  ofOthers(
    conversationId: ConversationId,
    between: { after: Seq; before: Seq },
    senderId: UserId,
    limit: number,
  ): Promise<OfOthers>
}

/** Decides the seq of a send, and nothing else does. It never expires, as a retry may come at any age (P2). */
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
  /** Forgets the claim of a user who can send no more: a retry would be stored a second time. */
  remove(senderId: UserId, clientMessageId: ClientMessageId): Promise<void>
}
