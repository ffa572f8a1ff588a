import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readConstants, resultsFolder, valuesOf } from '../../scripts/sizing/constants.ts'
import { filled, tablesOfPage } from '../../scripts/sizing/page.ts'
import { defaultLoad, type Load, makePlan } from '../../scripts/sizing/plan.ts'
import { defaultPrices, internetCost } from '../../scripts/sizing/prices.ts'
import { constantsTable, planTable } from '../../scripts/sizing/print.ts'

const constants = readConstants()
const planOf = (load: Partial<Load>, zonePrice = defaultPrices.zoneGb) =>
  makePlan({ ...defaultLoad, ...load }, valuesOf(constants), { ...defaultPrices, zoneGb: zonePrice })

describe('the constants', () => {
  it('are the medians in bench/results, with the file and the day', () => {
    const sources = constants.filter(({ isMeasured }) => isMeasured).map(({ source }) => source)
    expect(sources.length).toBeGreaterThan(5)
    for (const source of sources) expect(source).toMatch(/^[\w-]+\.json of \d{4}-\d\d-\d\d, load \d+$/)
    expect(constants.every(({ value }) => Number.isFinite(value) && value >= 0)).toBe(true)
  })

  it('say why they are believed where nothing was measured', () => {
    for (const { isMeasured, source } of constants) if (!isMeasured) expect(source).toMatch(/^assumed: .{10}/)
  })

  it('are never made up: a figure that is missing ends the script', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-sizing-'))
    const result = { takenAt: '2026-01-01T00:00:00Z', machine: { loadBefore: [0] }, measured: [] }
    for (const name of ['send', 'fan-out', 'idle', 'embedded', 'idle-users', 'stored', 'scaling', 'scaling-groups'])
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(result))
    expect(() => readConstants(pathToFileURL(`${folder}/`))).toThrow(/has no "/)
    rmSync(folder, { recursive: true })
    expect(resultsFolder.pathname).toMatch(/bench\/results\/$/)
  })
})

describe('docs/scaling.md', () => {
  it('has the tables that the script prints today: npm run sizing -- --write puts them there', () => {
    const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
    expect(filled(page, tablesOfPage())).toBe(page)
  })

  it('names only alarms that there are', () => {
    const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
    const rules = readFileSync(new URL('../../deploy/prometheus/alerts.yml', import.meta.url), 'utf8')
    const named = [...page.matchAll(/`(Parley\w+)`/g)].map(([, name]) => name)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((name) => !rules.includes(`alert: ${name}\n`))).toEqual([])
  })
})

describe('a plan', () => {
  it('has writes and storage that grow with the messages, and nodes that grow with the users', () => {
    const [once, twice] = [planOf({}), planOf({ messagesPerDay: 2 * defaultLoad.messagesPerDay })]
    expect(twice.dynamo.writeUnits).toBeCloseTo(2 * once.dynamo.writeUnits)
    expect(twice.dynamo.storedBytes).toBeCloseTo(2 * once.dynamo.storedBytes)
    expect(planOf({ users: 3e6 }).nodes.nodesForSockets).toBeCloseTo(300 * planOf({}).nodes.nodesForSockets)
  })

  it('leaves room for a lost zone: two of three hold all sockets, at no more than four fifths of their cores', () => {
    const { nodes, load } = planOf({ users: 1e6, messagesPerDay: 1e9 })
    const left = (nodes.nodes * 2) / 3
    expect(nodes.cores / left).toBeLessThanOrEqual(0.8)
    expect(load.users / left).toBeLessThanOrEqual(load.socketsPerNode)
  })

  it('counts a write for each message of the feed of events, and its row for thirty days', () => {
    const [without, withEvents] = [planOf({}), planOf({ events: 1 })]
    expect(withEvents.dynamo.unitsPerMessage).toBeCloseTo(without.dynamo.unitsPerMessage + 1)
    const more = (withEvents.dynamo.storedBytes - without.dynamo.storedBytes) / (30 * defaultLoad.messagesPerDay)
    expect(more).toBeGreaterThan(100)
    expect(more).toBeLessThan(500)
  })

  it('takes less storage with short claims', () => {
    expect(planOf({ shortClaims: 1 }).dynamo.storedPerMessage).toBeLessThan(planOf({}).dynamo.storedPerMessage)
  })

  it('of one-to-one messages to people who are there is two writes and one for each receipt', () => {
    expect(planOf({ groupShare: 0, awayShare: 0, receipts: 1 }).dynamo.unitsPerMessage).toBe(3)
    expect(planOf({ groupShare: 0, awayShare: 1 }).dynamo.unitsPerMessage).toBe(3)
  })

  it('of groups has a delivery and receipts for each other member', () => {
    const { messages, dynamo } = planOf({ groupShare: 1, groupSize: 101, awayShare: 0, receipts: 1, peak: 1 })
    expect(messages.deliveriesPerSecond).toBeCloseTo(100 * messages.mean)
    expect(dynamo.unitsPerMessage).toBe(102)
  })

  it('prices what leaves for the internet by tiers', () => {
    expect(internetCost(10_240)).toBeCloseTo(921.6)
    expect(internetCost(10_241) - internetCost(10_240)).toBeCloseTo(0.085)
    expect(planOf({}, 1).total).toBeGreaterThan(planOf({}, 0).total)
  })

  it('is printed as tables with a column for each plan', () => {
    const [head = '', ...lines] = planTable([planOf({}), planOf({ users: 1e6 })]).split('\n')
    expect(head.split('|')).toHaveLength(5)
    expect(lines.every((line) => line.split('|').length === 5 && !line.includes('NaN'))).toBe(true)
    expect(constantsTable(constants)).not.toContain('NaN')
  })
})
