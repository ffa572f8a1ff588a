import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb'
import { backoffMs } from '../../packages/client/src/shared/backoff.ts'
import type { Bench, Scenario } from '../bench.ts'
import { body, messageAdded, sendMessage } from '../load/documents.ts'
import { makeGroup, newAccount, openPerson, type Person } from '../load/person.ts'
import { mustRetry } from '../load/troubles.ts'
import { createQuickDynamo } from '../quick-dynamodb/server.ts'
import { createSheet, quantile, type Sheet } from '../sheet.ts'

// Measures what becomes of one conversation into which more is written than a partition of DynamoDB takes. The real limit is 1,000 writes a second; here it is
// lower, so that the nodes are not the limit. Members send at fixed times, on two nodes, and a send that is refused is repeated after the pauses of the client.

const limit = 100
const senders = 40
const prefix = 'hot_'

export const hotConversation: Scenario = async (bench) => {
  const sheet = createSheet()
  const server = createQuickDynamo({ writesPerSecond: limit }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const settings = { DYNAMODB_ENDPOINT: endpoint, TABLE_PREFIX: prefix, RATE_LIMIT_PER_SECOND: '0' }
  const nodes = [await bench.unhindered(settings), await bench.unhindered(settings)]
  for (const share of [0.5, 1, 2]) {
    const people: Person[] = []
    for (let i = 0; i < senders; i += 1) people.push(await openPerson(nodes[i % 2]?.port ?? 0, newAccount()))
    await offer(bench, sheet, endpoint, people, share)
    for (const person of people) person.close()
  }
  for (const node of nodes) await node.stop()
  server.closeAllConnections()
  server.close()
  return sheet.measured()
}

async function offer(
  bench: Bench,
  sheet: Sheet,
  endpoint: string,
  people: readonly Person[],
  share: number,
): Promise<void> {
  const [founder, ...others] = people as [Person, ...Person[]]
  const conversationId = await makeGroup(
    founder,
    others.map(({ userId }) => userId),
  )
  const deliveredMs: number[] = []
  const sentAtMs = new Map<string, number>()
  const heard = new Set<string>()
  const follow = () => founder.follow('added', messageAdded, {})
  founder.onEvent = (_id, payload) => {
    if (mustRetry(String(payload))) return follow()
    const [, name = ''] = /"body":"(\S+) /.exec(String(payload)) ?? []
    const atMs = sentAtMs.get(name)
    if (atMs === undefined || heard.has(name)) return
    heard.add(name)
    deliveredMs.push(performance.now() - atMs)
  }
  follow()
  const windowMs = bench.choose({ quick: 1000, default: 5000, full: 60_000 })
  const total = Math.round((windowMs / 1000) * limit * share)
  const [answeredMs, refusals, sends]: [number[], number[], Promise<void>[]] = [[], [], []]
  let inWindow = 0
  const beganAtMs = performance.now()
  for (let i = 0; i < total; i += 1) {
    const waitMs = beganAtMs + (i * 1000) / (limit * share) - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    sends.push(sendOnce(people[i % people.length] ?? founder, `m${i}`))
  }
  await Promise.all(sends)
  const tookMs = performance.now() - beganAtMs
  while (heard.size < total) await sleep(50)

  async function sendOnce(from: Person, name: string): Promise<void> {
    const input = { clientMessageId: randomUUID(), to: { conversationId }, body: `${name} ${body}` }
    const atMs = performance.now()
    sentAtMs.set(name, atMs)
    let failures = 0
    while (!(await from.attempt(sendMessage, { input }))) {
      failures += 1
      await sleep(backoffMs(failures, Math.random))
    }
    refusals.push(failures)
    answeredMs.push(performance.now() - atMs)
    if (performance.now() - beganAtMs <= windowMs) inWindow += 1
  }

  const rows = await kindsOf(endpoint, conversationId)
  const who = `${share * 100} % of ${limit} a second`
  const add = (what: string, unit: string, value: number) => sheet.add(`hot conversation: ${what}`, who, unit, value)
  add('messages accepted while they came', '/s', (1000 * inWindow) / windowMs)
  add('until all were accepted', 's', tookMs / 1000)
  add('send to answer, p50', 'ms', quantile(answeredMs, 0.5))
  add('send to answer, p99', 'ms', quantile(answeredMs, 0.99))
  add('send to delivery, p99', 'ms', quantile(deliveredMs, 0.99))
  add('refusals that said to try again, per message', '', refusals.reduce((sum, each) => sum + each, 0) / total)
  add('voids, per message', '', (rows.get('void') ?? 0) / total)
  add('messages lost or doubled', '', Math.abs((rows.get('message') ?? 0) - total))
}

async function kindsOf(endpoint: string, conversationId: string): Promise<Map<string, number>> {
  const client = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  })
  const kinds = new Map<string, number>()
  const asked = {
    TableName: `${prefix}messages`,
    KeyConditionExpression: 'conversation_id = :id',
    ExpressionAttributeValues: { ':id': { S: conversationId } },
  }
  for await (const { Items = [] } of paginateQuery({ client }, asked))
    for (const { kind } of Items) kinds.set(String(kind?.S), (kinds.get(String(kind?.S)) ?? 0) + 1)
  client.destroy()
  return kinds
}
