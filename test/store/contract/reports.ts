import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Report, ReportPlace, ReportState, ReportStore } from '../../../src/ports/reports.ts'
import type { UserId } from '../../../src/protocol/ids.ts'
import { aConversation, aUser, upTo } from '../../kit/ids.ts'

let lastMs = Date.UTC(2026, 5, 1)
const aReport = (given: Partial<Report> = {}): Report => {
  lastMs += 1
  return {
    id: `rep_${randomUUID()}`,
    state: 'OPEN',
    reporterId: aUser(),
    userId: aUser(),
    conversationId: aConversation(),
    seq: 3,
    body: 'naïve "🎉" \\ \u2028',
    reason: 'SPAM',
    comment: 'Look at this',
    createdAtMs: lastMs,
    ...given,
  }
}

export function reportsContract(open: () => ReportStore): void {
  const put = (given?: Partial<Report>) => open().put(aReport(given))

  /** The newest of them, down to this report. */
  async function downTo({ id }: Report, state: ReportState, limit: number): Promise<Report[]> {
    const found: Report[] = []
    for (let place: ReportPlace | undefined; ; place = found.at(-1)) {
      const page = await open().below(state, place, limit)
      found.push(...page)
      const at = found.findIndex((each) => each.id === id)
      if (at >= 0 || page.length < limit) return found.slice(0, at + 1)
    }
  }

  test('a report is kept as it was put, and stays the first of its id', async () => {
    const report = await put()
    expect(await open().get(report.id)).toEqual(report)
    expect(await open().put({ ...report, body: 'something else', createdAtMs: report.createdAtMs + 1 })).toEqual(report)
    expect(await open().get(report.id)).toEqual(report)
    expect(await open().get('rep_none')).toBeUndefined()
    const { conversationId: _c, seq: _s, body: _b, comment: _m, ...ofUser } = aReport()
    expect(await open().put(ofUser)).toEqual(ofUser)
    expect(await open().get(ofUser.id)).toEqual(ofUser)
  })

  test('those in a state are listed, newest first, page by page, each once', async () => {
    const reports = [await put(), await put(), await put(), await put()]
    const [oldest] = reports as [Report]
    // A second attempt, at another time.
    await open().put({ ...oldest, createdAtMs: lastMs + 1 })
    const newestFirst = reports.toReversed()
    for (const limit of [1, 2, 3, 100]) expect(await downTo(oldest, 'OPEN', limit)).toEqual(newestFirst)
    const [, , second] = reports as [Report, Report, Report]
    await open().resolve(second.id, 'A warning')
    expect((await downTo(oldest, 'OPEN', 2)).map(({ id }) => id)).toEqual(
      newestFirst.filter(({ id }) => id !== second.id).map(({ id }) => id),
    )
    expect(await downTo(second, 'RESOLVED', 2)).toEqual([{ ...second, state: 'RESOLVED', resolution: 'A warning' }])
  })

  test('is resolved once: who comes later gets what stands', async () => {
    const report = await put()
    const resolutions = await Promise.all(upTo(4).map((i) => open().resolve(report.id, `Word ${i}`)))
    const resolution = (await open().get(report.id))?.resolution
    expect(resolution).toMatch(/^Word \d$/)
    expect(resolutions.every((each) => each?.state === 'RESOLVED')).toBe(true)
    expect(await open().resolve(report.id, 'Later')).toMatchObject({ state: 'RESOLVED', resolution })
    expect(await open().resolve('rep_none', 'Nothing')).toBeUndefined()
    expect(await open().put(report)).toMatchObject({ state: 'RESOLVED' })
    expect(await downTo(report, 'OPEN', 100)).toEqual([])
  })

  test('notes that backends were told', async () => {
    const report = await put()
    await open().setTold(report.id)
    expect(await open().get(report.id)).toEqual({ ...report, told: true })
    await open().setTold('rep_none')
    expect(await open().get('rep_none')).toBeUndefined()
  })

  test('those of a user are found, whether they have reported or are reported', async () => {
    const userId = aUser()
    const reports = [
      await put({ reporterId: userId }),
      await put({ userId }),
      await put({ userId, seq: 4 }),
      await put(),
    ]
    const own = reports.slice(0, 3).sort((one, other) => (one.id < other.id ? -1 : 1))
    expect(await open().ofUser(userId, undefined, 10)).toEqual(own)
    expect(await open().ofUser(userId, own[0]?.id, 1)).toEqual([own[1]])
    expect(await open().ofUser(aUser(), undefined, 10)).toEqual([])
  })

  test('is redacted for one of its two, and keeps what is of the other', async () => {
    const report = await put()
    const pseudonym = 'erased-1' as UserId
    await open().redact(report.id, report.userId, pseudonym)
    await open().redact(report.id, report.userId, pseudonym)
    const { body: _body, ...rest } = report
    expect(await open().get(report.id)).toEqual({ ...rest, userId: pseudonym })
    expect(await open().ofUser(report.userId, undefined, 10)).toEqual([])
    expect(await open().ofUser(report.reporterId, undefined, 10)).toHaveLength(1)
    await open().redact(report.id, report.reporterId, pseudonym)
    const { comment: _comment, ...left } = rest
    expect(await open().get(report.id)).toEqual({ ...left, userId: pseudonym, reporterId: pseudonym })
    expect(await downTo(report, 'OPEN', 10)).toHaveLength(1)
    await open().redact('rep_none', report.userId, pseudonym)
    expect(await open().get('rep_none')).toBeUndefined()
  })
}
