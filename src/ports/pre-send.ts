// The operator's backend, which is asked before a message is stored.

import type { ClientMessageId, ConversationId, Seq, UserId } from '../protocol/ids.ts'
import type { Conversation } from './conversations.ts'
import type { Attachment } from './log.ts'

/** What a user wants to send, or to make of a message. It has nothing but what the user said, so it is the same whenever it is asked about. */
export type Proposal = {
  senderId: UserId
  conversationId: ConversationId
  kind: Conversation['kind']
  /** Whom a direct chat is with; of notes to oneself, the sender. */
  recipientId?: UserId
  clientMessageId: ClientMessageId
  body: string
} & (
  | { type: 'send'; metadata?: string; replyToSeq?: Seq; attachments?: readonly Attachment[] }
  | { type: 'edit'; seq: Seq }
)

/** `reason` is what the sender is told. A replacement is all that is stored in place of the proposed text, and as valid as a user's. */
export type Verdict =
  | { decision: 'allow' }
  | { decision: 'deny'; reason: string }
  | { decision: 'replace'; body: string; metadata?: string }

export interface PreSend {
  /** Answers within two seconds, also where the backend does not. */
  ask(proposal: Proposal): Promise<Verdict>
}

/** Why a backend has not decided. The reasons are label values of a metric. */
export type NoDecisionReason = 'timeout' | 'connection' | 'status' | 'too_long' | 'invalid'

/** Counts what was asked, for the metrics. */
export type PreSendObserver = {
  decided(decision: Verdict['decision'], tookMs: number): void
  failed(reason: NoDecisionReason, tookMs: number, detail: string): void
}
