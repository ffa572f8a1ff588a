import type { Report, ReportId, ReportPlace, ReportState } from '../ports/reports.ts'
import type { UserId } from '../protocol/ids.ts'
import { placeText } from './rows/report-row.ts'

/** What a table offers of the lists of reports: see rows/report-row.ts. */
type Lists = {
  /** The last `limit` entries of the list of a state that come before this one, the last one first. */
  stateBelow(state: ReportState, before: string, limit: number): Promise<Entry[]>
  /** The first `limit` entries of the list of a user that come after this one. */
  userAbove(userId: UserId, after: string, limit: number): Promise<Entry[]>
  getMany(ids: readonly ReportId[]): Promise<Report[]>
}
type Entry = { report_entry: string; report_id: ReportId }

// They are above and below all times and ids.
const [first, last] = [' ', '~']

/** Reads lists of reports, and skips the entries that do not belong there (any more). */
export function createReportLists({ stateBelow, userAbove, getMany }: Lists) {
  /** `more` reads on from an entry. `belongs` decides by the entry and by its report. */
  async function collect(
    from: string,
    limit: number,
    more: (from: string, limit: number) => Promise<Entry[]>,
    belongs: (report: Report, entry: Entry) => boolean,
  ): Promise<Report[]> {
    const found: Report[] = []
    for (let at = from; found.length < limit; ) {
      const wanted = limit - found.length
      const entries = await more(at, wanted)
      const reports = new Map((await getMany(entries.map((each) => each.report_id))).map((each) => [each.id, each]))
      for (const entry of entries) {
        const report = reports.get(entry.report_id)
        if (report && belongs(report, entry)) found.push(report)
      }
      if (entries.length < wanted) break
      at = entries.at(-1)?.report_entry ?? at
    }
    return found
  }

  return {
    below: (state: ReportState, place: ReportPlace | undefined, limit: number): Promise<Report[]> =>
      collect(
        place ? placeText(place) : last,
        limit,
        (from, wanted) => stateBelow(state, from, wanted),
        (report, entry) => report.state === state && placeText(report) === entry.report_entry,
      ),

    ofUser: (userId: UserId, after: ReportId | undefined, limit: number): Promise<Report[]> =>
      collect(
        after ?? first,
        limit,
        (from, wanted) => userAbove(userId, from, wanted),
        ({ reporterId, userId: reported }) => reporterId === userId || reported === userId,
      ),
  }
}
