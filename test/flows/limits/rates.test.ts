import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import { ApiError, type Person, type Via } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

const burst = 60
const roundTrips: string[] = []
let world: World
beforeAll(async () => {
  world = await startWorld({
    nodes: 2,
    // This is so slow that no operation comes back while the test runs.
    config: { traffic: { ...readConfig({ RATE_LIMIT_PER_SECOND: '1' }).traffic, rate: { perSecond: 0.001, burst } } },
    app: { onRedisRoundTrip: (name) => roundTrips.push(name) },
  })
})
afterAll(() => world.stop())

const outcomeOf = (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => 'OK',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  )

const draws = () => roundTrips.filter((name) => name === 'rateLimits.draw').length

async function sendMany(alice: Person, bob: Person, count: number): Promise<string[]> {
  const outcomes: string[] = []
  const ways: Via[] = ['http', 'ws', 'rest']
  for (let index = 0; index < count; index += 1) {
    const way = { via: ways[index % 3] ?? 'http', node: world.url(index % 2) }
    outcomes.push(await outcomeOf(alice.send(bob, `${index}`, way)))
  }
  return outcomes
}

it('what somebody may send in all is counted in Redis, whatever the node and the way, and seldom asked for', async () => {
  const [alice, bob, carol] = [await world.person('alice'), await world.person('bob'), await world.person('carol')]
  const outcomes = await sendMany(alice, bob, burst + 20)
  const admitted = outcomes.filter((outcome) => outcome === 'OK').length
  expect(new Set(outcomes)).toEqual(new Set(['OK', 'RATE_LIMITED']))
  // Each node may hold a batch of three that the other could have used.
  expect(admitted).toBeLessThanOrEqual(burst)
  expect(admitted).toBeGreaterThanOrEqual(burst - 6)
  expect(draws()).toBeLessThan(burst / 2)
  const drawsBefore = draws()
  await sendMany(alice, bob, 10)
  expect(draws()).toBe(drawsBefore)
  expect(await outcomeOf(carol.send(bob, 'hi'))).toBe('OK')
})
