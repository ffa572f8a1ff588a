import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'
import { MessageAddedDocument, TicksChangedDocument } from '../../packages/client/src/generated/graphql.ts'
import type { Bench, Scenario, Subject } from '../bench.ts'
import type { Account } from '../load/graphql-socket.ts'
import { acknowledge, makeGroup, newAccount, openPerson, type Person, say } from '../load/person.ts'
import { mustRetry } from '../load/troubles.ts'
import { billedBytes, type WireItem } from '../quick-dynamodb/item-size.ts'
import { createSheet, type Sheet } from '../sheet.ts'

// Measures what is kept: the rows of a message in DynamoDB, read back and counted as they are billed, and the memory of Redis by what it holds. Ids of
// users and of messages have 36 characters, as most apps make them, and the streams are those of the client. It counts bytes and no time, so the load of
// the machine does not matter.

const byDefault = 'by default'
const shortClaims = 'SENDS_ROWS=short'
const withEvents = 'EVENTS=true'
const groupSize = 20
const tables = ['messages', 'sends', 'feed', 'message_status', 'conversations', 'memberships', 'pending_deliveries']
/** The counter of a conversation in Redis remembers the last sends; with fewer it is not yet as large as it gets. */
const messagesEach = 8

export const stored: Scenario = async (bench) => {
  const sheet = createSheet()
  await rowsOf(bench, sheet, byDefault, {})
  await rowsOf(bench, sheet, shortClaims, { SENDS_ROWS: 'short' })
  await rowsOf(bench, sheet, withEvents, { EVENTS: 'true' })
  await memoryOf(bench, sheet)
  return sheet.measured()
}

async function rowsOf(bench: Bench, sheet: Sheet, who: string, settings: Record<string, string>): Promise<void> {
  const prefix = `stored_${who.replaceAll(/\W/g, '')}_`
  const subject = await bench.fresh('parley', { ...settings, TABLE_PREFIX: prefix })
  const pairs = bench.choose({ quick: 2, default: 20, full: 100 })
  for (let i = 0; i < pairs; i += 1) await talk(subject)
  // One chat has its other member away, so that there is a row that waits for them.
  const alone = await openPerson(subject.port, newAccount())
  await say(alone, { userId: newAccount().userId })
  alone.close()
  const messages = pairs * messagesEach + 1
  const rows = new Map<string, number[]>()
  for (const table of tables) rows.set(table, (await scan(bench.stores.endpoint, `${prefix}${table}`)).map(billedBytes))
  for (const [table, sizes] of rows)
    if (sizes.length > 0) sheet.add(`stored: a row of ${table}, as billed`, who, 'bytes', sumOf(sizes) / sizes.length)
  const logged = ['messages', 'sends', 'feed'].map((table) => rows.get(table) ?? [])
  // Both of these have a row for each message and no other.
  if (logged.slice(0, 2).some(({ length }) => length !== messages))
    throw new Error('Rows are missing, or more than expected.')
  sheet.add(
    'stored: a message in the tables that grow with each, as billed',
    who,
    'bytes',
    sumOf(logged.flat()) / messages,
  )
  await subject.stop()
}

async function memoryOf(bench: Bench, sheet: Sheet): Promise<void> {
  const pairs = bench.choose({ quick: 5, default: 500, full: 2000 })
  const groups = bench.choose({ quick: 1, default: 25, full: 100 })
  const { redis } = bench.quickStores
  const who = `${(2 * pairs).toLocaleString('en')} users`
  const usedBytes = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
  const attached = async () => (await redis.keys('*attached:{*')).length
  const subject = await bench.unhindered()
  // Scripts and connections are there before anything is counted.
  await talk(subject)
  const people = Array.from({ length: 2 * pairs }, newAccount)

  const atFirst = await usedBytes()
  let open = await openAll(subject, people)
  while ((await attached()) < people.length) await sleep(100)
  const connected = await usedBytes()
  for (const person of open) person.close()
  while ((await attached()) > 0) await sleep(100)
  await sleep(1000)
  const known = await usedBytes()
  sheet.add('stored: memory of Redis, a connected user', who, 'bytes', (connected - atFirst) / people.length)
  sheet.add(
    'stored: memory of Redis, a user who was here in the last 30 days',
    who,
    'bytes',
    (known - atFirst) / people.length,
  )

  open = await openAll(subject, people)
  while ((await attached()) < people.length) await sleep(100)
  const before = await usedBytes()
  for (let i = 0; i < pairs; i += 1) await exchange(open[2 * i], open[2 * i + 1])
  const withChats = await usedBytes()
  sheet.add(
    'stored: memory of Redis, a direct chat that both have used lately',
    who,
    'bytes',
    (withChats - before) / pairs,
  )
  for (const [id, what] of [
    ['added', 'a message to a device'],
    ['ticks', 'a tick to a device'],
  ] as const) {
    const sizes = heard.get(id) ?? []
    sheet.add(`stored: ${what}, the text of its frame`, who, 'bytes', sumOf(sizes) / sizes.length)
  }
  for (let i = 0; i < groups; i += 1)
    await meet(Array.from({ length: groupSize }, (_, n) => open[(i * groupSize + n) % open.length]))
  const withGroups = await usedBytes()
  sheet.add(
    `stored: memory of Redis, a group of ${groupSize} that all have used lately`,
    who,
    'bytes',
    (withGroups - withChats) / groups,
  )
  await byKind(redis, sheet)
  for (const person of open) person.close()
  await subject.stop()
}

/** Returns the sizes of what came, by its stream. */
const heard = new Map<string, number[]>([
  ['added', []],
  ['ticks', []],
])

/** Opens a person with the streams of messages and of ticks. */
async function openAll({ port }: Subject, accounts: readonly Account[]): Promise<Person[]> {
  const people: Person[] = []
  for (const account of accounts) {
    const person = await openPerson(port, account)
    const begin = (id: string) =>
      id === 'added'
        ? person.follow(id, MessageAddedDocument, { after: [] })
        : person.follow(id, TicksChangedDocument, {})
    person.onEvent = (id, payload) => {
      if (mustRetry(String(payload))) begin(id)
      else if (!payload.includes('"type":"complete"')) heard.get(id)?.push(payload.length)
    }
    begin('added')
    begin('ticks')
    people.push(person)
  }
  return people
}

async function talk({ port }: Subject): Promise<void> {
  const pair = [await openPerson(port, newAccount()), await openPerson(port, newAccount())] as const
  await exchange(...pair)
  for (const person of pair) person.close()
}

async function exchange(one: Person | undefined, other: Person | undefined): Promise<void> {
  if (!one || !other) return
  for (let i = 0; i < messagesEach / 2; i += 1) {
    await acknowledge(other, await say(one, { userId: other.userId }))
    await acknowledge(one, await say(other, { userId: one.userId }))
  }
}

async function meet(members: readonly (Person | undefined)[]): Promise<void> {
  const [founder, ...others] = members.filter((each) => each !== undefined)
  if (!founder) return
  const conversationId = await makeGroup(
    founder,
    others.map(({ userId }) => userId),
  )
  for (let i = 0; i < messagesEach; i += 1) {
    const said = await say(others[i] ?? founder, { conversationId })
    for (const each of [founder, ...others]) await acknowledge(each, said)
  }
}

/** Returns what each kind of key takes, by a sample of them. */
async function byKind(redis: Bench['quickStores']['redis'], sheet: Sheet): Promise<void> {
  const kinds = new Map<string, string[]>()
  for (const key of await redis.keys('*')) {
    const kind = key.replace(/\{.*$/, '').replace(/^.*?_/, '')
    kinds.set(kind, [...(kinds.get(kind) ?? []), key])
  }
  for (const [kind, keys] of [...kinds].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const sample = keys.slice(0, 200)
    const sizes = await Promise.all(sample.map(async (key) => Number(await redis.memory('USAGE', key))))
    sheet.add('stored: a key of Redis, by MEMORY USAGE', kind, 'bytes', sumOf(sizes) / sizes.length)
  }
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0)

async function scan(endpoint: string, TableName: string): Promise<WireItem[]> {
  const credentials = { accessKeyId: 'none', secretAccessKey: 'none' }
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials })
  const items: WireItem[] = []
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) items.push(...(Items as WireItem[]))
  client.destroy()
  return items
}
