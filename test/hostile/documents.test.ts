import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type World } from '../kit/world.ts'
import { type DocumentRow, documents, mutations, subscriptions } from './documents.ts'
import { expectedOn, openWays, type Way, type Ways } from './ways.ts'

let world: World
let ways: Ways
beforeAll(async () => {
  world = await startWorld()
  ways = await openWays(world.url(), `Bearer ${(await world.person('alice')).token}`)
})
afterAll(async () => {
  ways.close()
  await world.stop()
})

/** A URL longer than this is refused before it is read. */
const urlMax = 12_000

function answers(rows: DocumentRow[], over: Exclude<Way, 'REST'>[]): void {
  describe.each(over)('over %s', (way) => {
    const fit = rows.filter(([, query]) => way !== 'GET' || encodeURIComponent(query).length < urlMax)
    it.each(fit)('%s', async (_what, query, outcome, operationName) => {
      expect(await ways.ask[way]({ query, ...(operationName && { operationName }) })).toEqual(expectedOn(way, outcome))
      await ways.stillServes()
    })
  })
}

describe('a document', () => answers(documents, ['POST', 'GET', 'WebSocket']))
describe('a mutation', () => answers(mutations, ['POST', 'WebSocket']))
describe('a subscription', () => answers(subscriptions, ['SSE', 'WebSocket']))
