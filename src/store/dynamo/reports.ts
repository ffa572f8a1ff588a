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
import type { Dynamo, Key } from '../rows/tables.ts'
import { createDynamoTable } from './table.ts'

const exists = { where: 'attribute_exists(report_id)' }

export function createReportsDynamo(dynamo: Dynamo): ReportStore {
  const table = createDynamoTable(dynamo, 'reports')

  async function get(id: ReportId): Promise<Report | undefined> {
    const item = await table.get(reportKey(id))
    return item && toReport(item)
  }

  const { below, ofUser } = createReportLists({
    stateBelow: (state, before, limit) =>
      table.query({
        where: 'report_list = :list AND report_entry < :before',
        values: { ':list': listOf(state), ':before': before },
        descending: true,
        limit,
      }),
    userAbove: (userId, after, limit) =>
      table.query({
        where: 'report_list = :list AND report_entry > :after',
        values: { ':list': userList(userId), ':after': after },
        limit,
      }),
    getMany: async (ids) => (await table.getMany(ids.map(reportKey))).map(toReport),
  })

  return {
    get,
    below,
    ofUser,

    async put(report) {
      await Promise.all(placesOf(report).map((place) => putEntry(place, report.id)))
      const isNew = await table.put(reportItem(report), { where: 'attribute_not_exists(report_id)' })
      return isNew ? report : ((await get(report.id)) ?? report)
    },

    async resolve(id, resolution) {
      const standing = await get(id)
      if (!standing) return undefined
      if (standing.state === 'OPEN') {
        await putEntry(stateKey('RESOLVED', standing), id)
        const condition = { where: 'report_state = :open', values: { ':open': 'OPEN' } }
        await table.set(reportKey(id), { report_state: 'RESOLVED', resolution }, condition)
      }
      await table.remove(stateKey('OPEN', standing), exists)
      return get(id)
    },

    async setTold(id) {
      await table.set(reportKey(id), { told: 1 }, exists)
    },

    async redact(id, userId, pseudonym) {
      const standing = await get(id)
      const columns = standing ? redaction(standing, userId, pseudonym) : {}
      if (Object.keys(columns).length > 0) await table.set(reportKey(id), columns, exists)
      await table.remove(userKey(userId, id), exists)
    },
  }

  async function putEntry(place: Key<'reports'>, id: ReportId): Promise<void> {
    await table.put({ ...place, report_id: id })
  }
}
