import type { Ports } from '../../ports/ports.ts'
import type { ReportId } from '../../ports/reports.ts'
import { ChatError } from '../../protocol/errors.ts'
import type { ConversationId, Seq, UserId } from '../../protocol/ids.ts'
import { toTimeText } from '../../protocol/time-text.ts'
import { type Access, floorSeqOf } from '../conversations/access.ts'
import { isMessage, type Log } from '../log/log.ts'
import { openExport } from './export-file.ts'
import { formatVersion, ownLine } from './export-lines.ts'
import { blockLine, deviceLine, membershipLine, reactionLine, reportLine, userLine } from './export-user-lines.ts'
import type { Job, TaskWork } from './run-task.ts'

// Exports what is kept of a user, and what they have written. It leaves out what others have written or have done about the user: that is theirs.

/** Rows that are read at once. */
const pageSize = 200

/** The sections of the file, in their order. `after` is the last block, report or conversation that is in it. */
type At =
  | { section: 'user' }
  | { section: 'blocks'; after?: UserId }
  | { section: 'reports'; after?: ReportId }
  | { section: 'conversations'; after?: ConversationId; done: number }
  /** The conversation is in the file up to `seq`. The export of it ends at `to`, where the log ended when it began. */
  | { section: 'conversation'; id: ConversationId; done: number; seq: Seq; to: Seq }
  | { section: 'end' }

type Stores =
  | 'profiles'
  | 'restrictions'
  | 'devices'
  | 'blocks'
  | 'reports'
  | 'memberships'
  | 'boundaries'
  | 'departures'
  | 'sessions'
type Needs = Pick<Ports, Stores | 'results' | 'clock'> & {
  access: Access
  log: Log
  conversationsEver: (userId: UserId) => Promise<ConversationId[]>
  exportPartBytes?: number
}

export function createExportUser(needs: Needs): TaskWork {
  const { profiles, restrictions, devices, blocks, reports, memberships, boundaries, departures, sessions } = needs
  const { results, clock, access, log, conversationsEver, exportPartBytes } = needs
  type Write = (line: object) => void

  async function writeUser(write: Write, userId: UserId): Promise<At> {
    const [[profile], standing, [seen], own] = await Promise.all([
      profiles.getMany([userId]),
      restrictions.getMany([userId]),
      sessions.seen([userId]),
      devices.ofUser(userId),
    ])
    if (profile?.erasedAtMs !== undefined) throw new ChatError('NOT_FOUND', 'The user was erased.')
    const current = standing.filter((each) => each.kind !== 'ban' || clock.now() < (each.untilMs ?? Infinity))
    write({ type: 'export', kind: 'user', format: formatVersion, at: toTimeText(clock.now()) })
    write(userLine(profile ?? { userId }, current, seen?.lastSeenAtMs))
    for (const device of own) write(deviceLine(device))
    return { section: 'blocks' }
  }

  async function writeBlocks(write: Write, userId: UserId, after: UserId | undefined): Promise<At> {
    const page = await blocks.above(userId, after, pageSize)
    for (const blockedId of page) write(blockLine(blockedId))
    const last = page.at(-1)
    return last ? { section: 'blocks', after: last } : { section: 'reports' }
  }

  async function writeReports(write: Write, userId: UserId, after: ReportId | undefined): Promise<At> {
    const page = await reports.ofUser(userId, after, pageSize)
    for (const report of page) if (report.reporterId === userId) write(reportLine(report))
    const last = page.at(-1)
    return last ? { section: 'reports', after: last.id } : { section: 'conversations', done: 0 }
  }

  async function beginConversation(write: Write, userId: UserId, id: ConversationId, done: number): Promise<At> {
    const member = { userId, conversationId: id }
    const [conversation, [membership], [had], [departure], to] = await Promise.all([
      access.current(id),
      memberships.getMany([member]),
      boundaries.getMany([member]),
      departures.getMany(id, [userId]),
      log.lastSeq(id),
    ])
    write(membershipLine(userId, id, { conversation, membership, boundaries: had, departure }))
    return { section: 'conversation', id, done, seq: conversation ? floorSeqOf(conversation) : 0, to }
  }

  async function writeMessages(write: Write, userId: UserId, at: At & { section: 'conversation' }): Promise<At> {
    const rows = (await log.above(at.id, at.seq, pageSize)).filter(({ seq }) => seq <= at.to)
    for (const row of rows) {
      if (!isMessage(row)) continue
      if (row.senderId === userId) write(ownLine(row))
      for (const reaction of row.reactions ?? []) {
        if (reaction.on && reaction.userId === userId) write(reactionLine(row, reaction))
      }
    }
    const seq = rows.at(-1)?.seq ?? at.to
    return seq < at.to ? { ...at, seq } : { section: 'conversations', after: at.id, done: at.done + 1 }
  }

  /** Writes the next lines. Returns where to go on. */
  async function step(write: Write, userId: UserId, at: At, ids: readonly ConversationId[]): Promise<At> {
    if (at.section === 'user') return writeUser(write, userId)
    if (at.section === 'blocks') return writeBlocks(write, userId, at.after)
    if (at.section === 'reports') return writeReports(write, userId, at.after)
    if (at.section === 'conversation') return writeMessages(write, userId, at)
    if (at.section === 'end') return at
    const { after } = at
    const id = ids.find((each) => after === undefined || each > after)
    return id ? beginConversation(write, userId, id, at.done) : { section: 'end' }
  }

  return async function exportUser(job: Job) {
    if (!results) throw new ChatError('FORBIDDEN', 'No store of files is set up on this server any more.')
    const userId = job.subject as UserId
    const file = await openExport<At>(results, job, `${userId}.ndjson`, { section: 'user' }, exportPartBytes)
    const ids = await conversationsEver(userId)
    let { at } = file
    while (at.section !== 'end') {
      at = await step(file.write, userId, at, ids)
      await file.mark(progressOf(at, ids.length), at)
    }
    return { result: await file.end() }
  }
}

function progressOf(at: At, total: number): number {
  if (at.section === 'conversations') return Math.min(1, at.done / Math.max(1, total))
  if (at.section === 'conversation') return Math.min(1, (at.done + at.seq / Math.max(1, at.to)) / Math.max(1, total))
  return at.section === 'end' ? 1 : 0
}
