import type { Connection } from '../../resolvers/connection.ts'
import type { AdminContext } from './context.ts'
import { notBuilt } from './not-built.ts'

type ReportState = 'OPEN' | 'RESOLVED'
export type AdminReport = {
  id: string
  state: ReportState
  reporterId: string
  userId: string
  conversationId?: string
  seq?: number
  body?: string
  reason: string
  comment?: string
  createdAtMs: number
  resolution?: string
}

export function listReports(
  _ctx: AdminContext,
  _args: {
    state?: ReportState | null | undefined
    first?: number | null | undefined
    after?: string | null | undefined
  },
): Promise<Connection<AdminReport>> {
  throw notBuilt('reports')
}

export function resolveReport(
  _ctx: AdminContext,
  _input: { reportId: string; resolution: string },
): Promise<{ report: AdminReport }> {
  throw notBuilt('resolveReport')
}
