import { hash } from 'node:crypto'
import type { Ports } from '../../ports/ports.ts'
import type { Report, ReportId, ReportReason } from '../../ports/reports.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import type { Seq, UserId } from '../../protocol/ids.ts'
import { reportsPerHour } from '../../protocol/limits.ts'
import type { Member } from '../conversations/access.ts'
import type { Tell } from '../feed/announce.ts'
import { isMessage } from '../log/log.ts'

// Keeps what users report. A report has an id that is computed from who reports what, so that a repeated call finds the first report. A crash between
// the report and the feed leaves one that backends were not told of: the repeated call tells them.

export type ReportWords = { reason: ReportReason; comment?: string }
type Subject = Pick<Report, 'userId' | 'conversationId' | 'seq' | 'body'>

type Needs = Pick<Ports, 'reports' | 'messages' | 'quotas' | 'clock'> & { tell: Tell }

export function createReports({ reports, messages, quotas, clock, tell }: Needs) {
  /** Reports a message as it is now. */
  async function reportMessage(member: Member, seq: Seq, words: ReportWords): Promise<ReportId> {
    const { id: conversationId } = member.conversation
    const message = seq > member.joinedSeq ? await messages.get({ conversationId, seq }) : undefined
    if (!message || !isMessage(message)) {
      throw new ChatError('NOT_FOUND', 'There is no such message in this conversation.')
    }
    const { senderId: userId, body, edited, deletedAtMs } = message
    if (userId === member.userId) throw badInput('seq', 'Nobody can report themselves.')
    const subject = { userId, conversationId, seq, ...(deletedAtMs === undefined && { body }) }
    return report(member.userId, subject, words, (before) => (edited?.atMs ?? 0) > before.createdAtMs)
  }

  /** The caller knows that the reporter may see the user. */
  const reportUser = (reporterId: UserId, userId: UserId, words: ReportWords): Promise<ReportId> =>
    report(reporterId, { userId }, words, () => true)

  /** After a report was resolved there is another one, if `isAnew`. */
  async function report(
    reporterId: UserId,
    subject: Subject,
    words: ReportWords,
    isAnew: (before: Report) => boolean,
  ): Promise<ReportId> {
    for (let number = 1; ; number += 1) {
      const id = idOf(reporterId, subject, number)
      const standing = await reports.get(id)
      if (standing?.state === 'RESOLVED' && isAnew(standing)) continue
      await tellOnce(standing ?? (await create({ id, state: 'OPEN', reporterId, ...subject, ...words })))
      return id
    }
  }

  async function create(report: Omit<Report, 'createdAtMs'>): Promise<Report> {
    const taken = await quotas?.take(`reports:${report.reporterId}`, 1, reportsPerHour)
    if (taken && taken.retryAfterMs > 0) {
      throw new ChatError('RATE_LIMITED', 'Too many reports within an hour.', { retryAfterMs: taken.retryAfterMs })
    }
    return reports.put({ ...report, createdAtMs: clock.now() })
  }

  async function tellOnce({ id, userId, told }: Report): Promise<void> {
    if (told) return
    await tell({ type: 'report.created', userId, data: JSON.stringify({ reportId: id }) })
    await reports.setTold(id)
  }

  return { reportMessage, reportUser, below: reports.below, resolve: reports.resolve }
}

function idOf(reporterId: UserId, { userId, conversationId, seq }: Subject, number: number): ReportId {
  const what = JSON.stringify([reporterId, userId, conversationId ?? null, seq ?? null, number])
  return `rep_${hash('sha256', what, 'base64url').slice(0, 22)}`
}
