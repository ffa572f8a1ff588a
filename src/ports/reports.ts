// What users have reported, for those who look after the app. DynamoDB holds it.

import type { ConversationId, Seq, UserId } from '../protocol/ids.ts'

export type ReportId = string
export type ReportState = 'OPEN' | 'RESOLVED'
export type ReportReason = 'SPAM' | 'HARASSMENT' | 'HATE' | 'VIOLENCE' | 'SEXUAL' | 'SELF_HARM' | 'ILLEGAL' | 'OTHER'

/**
 * `userId` is who is reported, or whose message is. `body` is the message as it was then: it stays whatever becomes of the message. `told`: backends
 * have been told of it.
 */
export type Report = {
  id: ReportId
  state: ReportState
  reporterId: UserId
  userId: UserId
  conversationId?: ConversationId
  seq?: Seq
  body?: string
  reason: ReportReason
  comment?: string
  createdAtMs: number
  resolution?: string
  told?: true
}

/** A place in a list of reports. */
export type ReportPlace = Pick<Report, 'id' | 'createdAtMs'>

export interface ReportStore {
  /** Puts the report if there is none of its id. Returns the one that stands. */
  put(report: Report): Promise<Report>
  get(id: ReportId): Promise<Report | undefined>
  /** Resolves it, unless that was done before. Returns it as it stands, or undefined where there is none. */
  resolve(id: ReportId, resolution: string): Promise<Report | undefined>
  /** Notes that backends have been told. */
  setTold(id: ReportId): Promise<void>
  /** Returns the newest `limit` in this state that are older than this place, newest first; fewer only where the list ends. */
  below(state: ReportState, place: ReportPlace | undefined, limit: number): Promise<Report[]>
  /** Returns those that this user has made and those about them, in the order of their ids: the first `limit` that come after this one. */
  ofUser(userId: UserId, after: ReportId | undefined, limit: number): Promise<Report[]>
  /**
   * Puts another id in the place of the user's, and removes what they wrote: the body where they are reported, their comment where they have reported. The
   * report is then no longer one `ofUser`. Calling it again does no more.
   */
  redact(id: ReportId, userId: UserId, pseudonym: UserId): Promise<void>
}
