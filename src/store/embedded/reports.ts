import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { Report, ReportId, ReportStore } from '../../ports/reports.ts'
import { createReportLists } from '../report-lists.ts'
import {
  listOf,
  placesOf,
  redaction,
  reportItem,
  reportKey,
  stateKey,
  toReport,
  userKey,
  userList,
} from '../rows/report-row.ts'
import type { Key } from '../rows/tables.ts'
import { createEmbeddedTable } from './table.ts'

export function createReportsEmbedded(engine: KeyValue): ReportStore {
  const table = createEmbeddedTable(engine, 'reports')

  function read(id: ReportId): Report | undefined {
    const item = table.get(reportKey(id))
    return item && toReport(item)
  }

  const { below, ofUser } = createReportLists({
    stateBelow: async (state, before, limit) => table.query(listOf(state), { below: before, descending: true, limit }),
    userAbove: async (userId, after, limit) => table.query(userList(userId), { above: after, limit }),
    getMany: async (ids) => table.getMany(ids.map(reportKey)).map(toReport),
  })

  const putEntry = (place: Key<'reports'>, id: ReportId) => table.update(place, () => ({ ...place, report_id: id }))

  return {
    get: async (id) => read(id),
    below,
    ofUser,

    async put(report) {
      await Promise.all(placesOf(report).map((place) => putEntry(place, report.id)))
      const { row } = await table.update(reportKey(report.id), (standing) => (standing ? 'keep' : reportItem(report)))
      return row ? toReport(row) : report
    },

    async resolve(id, resolution) {
      const standing = read(id)
      if (!standing) return undefined
      if (standing.state === 'OPEN') {
        await putEntry(stateKey('RESOLVED', standing), id)
        await table.update(reportKey(id), (row) =>
          row?.report_state === 'OPEN' ? { ...row, report_state: 'RESOLVED', resolution } : 'keep',
        )
      }
      await table.update(stateKey('OPEN', standing), () => 'remove')
      return read(id)
    },

    async setTold(id) {
      await table.update(reportKey(id), (row) => (row ? { ...row, told: 1 } : 'keep'))
    },

    async redact(id, userId, pseudonym) {
      await table.update(reportKey(id), (row) =>
        row ? withoutAbsent({ ...row, ...redaction(toReport(row), userId, pseudonym) }) : 'keep',
      )
      await table.update(userKey(userId, id), () => 'remove')
    },
  }
}

/** A row has only the columns that are set. */
const withoutAbsent = <Row extends object>(row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Row
