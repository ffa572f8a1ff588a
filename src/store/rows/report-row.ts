import type { Report, ReportId, ReportPlace, ReportState } from '../../ports/reports.ts'
import type { UserId } from '../../protocol/ids.ts'
import { toTimeText } from '../../protocol/time-text.ts'
import type { Item, Key } from './tables.ts'

// A report is a row of its own, and stands in lists: in one by its state, in one of its reporter, and in one of who is reported. The rows of lists
// only name reports. They are written before what they name is true, and removed after it is true no more: whoever reads a list skips what does
// not belong there (any more), and misses nothing.

type ReportItem = Item<'reports'>

export const reportKey = (id: ReportId): Key<'reports'> => ({ report_list: `report#${id}`, report_entry: 'report' })

export const listOf = (state: ReportState): string => (state === 'OPEN' ? 'open' : 'resolved')

/** Texts of this form are in the order of time. */
export const placeText = ({ createdAtMs, id }: ReportPlace): string => `${toTimeText(createdAtMs)}#${id}`

export const userList = (userId: UserId): string => `user#${userId}`

export const stateKey = (state: ReportState, place: ReportPlace): Key<'reports'> => ({
  report_list: listOf(state),
  report_entry: placeText(place),
})

export const userKey = (userId: UserId, id: ReportId): Key<'reports'> => ({
  report_list: userList(userId),
  report_entry: id,
})

/** The places of a new report. */
export const placesOf = (report: Report): Key<'reports'>[] => [
  stateKey('OPEN', report),
  userKey(report.reporterId, report.id),
  userKey(report.userId, report.id),
]

export const reportItem = ({ id, comment, createdAtMs, ...report }: Report): Key<'reports'> & Partial<ReportItem> => ({
  ...reportKey(id),
  report_id: id,
  report_state: report.state,
  reporter_id: report.reporterId,
  user_id: report.userId,
  ...(report.conversationId !== undefined && { conversation_id: report.conversationId }),
  ...(report.seq !== undefined && { seq: report.seq }),
  ...(report.body !== undefined && { body: report.body }),
  reason: report.reason,
  ...(comment !== undefined && { reporter_comment: comment }),
  created_at: toTimeText(createdAtMs),
  ...(report.resolution !== undefined && { resolution: report.resolution }),
  ...(report.told && { told: 1 }),
})

export function toReport(item: ReportItem): Report {
  const { conversation_id: conversationId, seq, body, reporter_comment: comment, resolution } = item
  return {
    id: item.report_id,
    state: item.report_state ?? 'OPEN',
    reporterId: item.reporter_id as UserId,
    userId: item.user_id as UserId,
    ...(conversationId !== undefined && { conversationId }),
    ...(seq !== undefined && { seq }),
    ...(body !== undefined && { body }),
    reason: item.reason ?? 'OTHER',
    ...(comment !== undefined && { comment }),
    createdAtMs: Date.parse(item.created_at ?? ''),
    ...(resolution !== undefined && { resolution }),
    ...(item.told === 1 && { told: true }),
  }
}

/** The columns that change when this user's part of the report is removed. */
export function redaction(report: Report, userId: UserId, pseudonym: UserId): Partial<ReportItem> {
  return {
    ...(report.reporterId === userId && { reporter_id: pseudonym, reporter_comment: undefined }),
    ...(report.userId === userId && { user_id: pseudonym, body: undefined }),
  }
}
