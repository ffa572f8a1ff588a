import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { DynamoCall } from '../../../src/engine/dynamodb/client.ts'
import { isLease } from '../../kit/leases.ts'
import type { Person } from '../../kit/person.ts'
import { listen } from '../../kit/services/listen.ts'
import { sharedService } from '../../kit/shared-services.ts'
import { startWorld, type World } from '../../kit/world.ts'

// What the feed costs a send: one row more, no read, and no further round trip to DynamoDB after another.

let proxy: Awaited<ReturnType<typeof startPairingProxy>>
let world: World
let alice: Person
let bob: Person
const calls: DynamoCall[] = []
const roundTrips: string[] = []

beforeAll(async () => {
  proxy = await startPairingProxy(await sharedService('dynalite'))
  world = await startWorld({
    dynamodbEndpoint: proxy.url,
    config: { events: true },
    app: {
      onDynamoCall: (call) => void calls.push(call),
      onRedisRoundTrip: (name) => void (isLease(name) || roundTrips.push(name)),
    },
  })
  alice = await world.person('alice')
  bob = await world.person('bob')
  for (const n of [1, 2, 3]) await alice.send(bob, `before ${n}`)
})
afterAll(async () => {
  await world.stop()
  await proxy.stop()
})

it('three writes, no read, and the first two are under way at the same time', async () => {
  await bob.ack(world.chatOf(alice, bob), 3)
  const atBob = bob.followLean()
  await world.online(bob)
  // Neither is answered before both are there: where one waited for the other, nothing would be sent.
  proxy.pair('sends', 'feed')
  calls.length = 0
  roundTrips.length = 0
  await alice.send(bob, 'hello')
  await atBob.receives(1)
  const asked = calls.map(({ operation, table }) => `${operation} ${table}`)
  expect([...asked].sort()).toEqual(['PutItem feed', 'PutItem messages', 'PutItem sends'])
  expect(asked.at(-1)).toBe('PutItem messages')
  expect(proxy.arrived.filter((each) => /(sends|feed|messages)$/.test(each)).at(-1)).toMatch(/messages$/)
  expect(calls.reduce((sum, { capacityUnits }) => sum + capacityUnits, 0)).toBe(3)
  expect(roundTrips.filter((name) => name.startsWith('feed'))).toEqual(['feed.next'])
  await atBob.stop()
})

/** Passes calls on to DynamoDB; of two tables that are paired, the next writes wait for each other. */
async function startPairingProxy(endpoint: string) {
  const arrived: string[] = []
  let waiting: { tables: readonly string[]; there: Set<string>; go: () => void; gone: Promise<void> } | undefined

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming)
    const operation = String(incoming.headers['x-amz-target']).split('.')[1]
    const table = /_(\w+)$/.exec((JSON.parse(body) as { TableName?: string }).TableName ?? '')?.[1] ?? ''
    arrived.push(`${operation} ${table}`)
    if (operation === 'PutItem' && waiting?.tables.includes(table)) {
      const { there, tables, go, gone } = waiting
      there.add(table)
      if (there.size === tables.length) {
        waiting = undefined
        go()
      }
      await gone
    }
    const { headers, method } = incoming
    const asked = request(endpoint, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    asked.on('error', () => response.destroy())
    asked.end(body)
  }

  const { origin, stop } = await listen(createServer((incoming, response) => void pass(incoming, response)))
  return {
    url: origin,
    stop,
    arrived,
    pair(...tables: string[]): void {
      let go: () => void = () => undefined
      const gone = new Promise<void>((resolve) => {
        go = resolve
      })
      waiting = { tables, there: new Set(), go, gone }
      arrived.length = 0
    },
  }
}
