import type { Report, ReportState } from '../../ports/reports.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import { reportTextMaxCodePoints } from '../../protocol/limits.ts'
import { textProblem } from '../../protocol/text.ts'
import { type Connection, connectionOf } from '../../resolvers/connection.ts'
import { pageSize } from '../../resolvers/page-arguments.ts'
import type { AdminContext } from './context.ts'

export type AdminReport = Report

/** Lists reports, newest first. Reports of both states are two lists in the store, so these are merged by time. */
export async function listReports(
  ctx: AdminContext,
  args: {
    state?: ReportState | null | undefined
    first?: number | null | undefined
    after?: string | null | undefined
  },
): Promise<Connection<AdminReport>> {
  const { count } = pageSize(args)
  const place = args.after == null ? undefined : ctx.cursors.toReport(args.after, 'after')
  const states: ReportState[] = args.state ? [args.state] : ['OPEN', 'RESOLVED']
  const found = await Promise.all(states.map((state) => ctx.domain.reports.below(state, place, count + 1)))
  // One that is resolved between the two reads is in both lists.
  const reports = [...new Map(found.flat().map((report) => [report.id, report])).values()].sort(newestFirst)
  const edges = reports.slice(0, count).map((node) => ({ cursor: ctx.cursors.ofReport(node), node }))
  return connectionOf(edges, { hasNextPage: reports.length > count, hasPreviousPage: place !== undefined })
}

const newestFirst = (one: Report, other: Report): number =>
  other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1)

export async function resolveReport(
  ctx: AdminContext,
  { reportId, resolution }: { reportId: string; resolution: string },
): Promise<{ report: AdminReport }> {
  const problem = textProblem(resolution, 'A resolution', reportTextMaxCodePoints)
  if (problem) throw badInput('resolution', problem)
  const report = await ctx.domain.reports.resolve(reportId, resolution)
  if (!report) throw new ChatError('NOT_FOUND', 'There is no such report.')
  return { report }
}
