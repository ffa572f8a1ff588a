import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, interleave, type Scenario, type Subject } from '../bench.ts'
import { chatOf } from '../load/chat-of.ts'
import { type Crew, openCrew } from '../load/crew.ts'
import { messages } from '../load/documents.ts'
import { type Account, openGraphQLSocket } from '../load/graphql-socket.ts'
import { hearAll } from '../load/hear-all.ts'
import { openConnection, postOf } from '../load/http.ts'
import { type Least, overHttp } from '../load/loops.ts'
import { createEmbeddedSeeds, seedStreams } from '../load/seed.ts'
import { accountOf, secret } from '../load/tokens.ts'
import { createSheet, quantile, type Sheet } from '../sheet.ts'

// Ours as one process with its store in a file, against what would be built by hand on Redis: CPU is that of a server with all its stores.
// Ours answers after its writes are synced to the disk. The Redis of the others is in memory alone and syncs nothing.

const openRate = 100
const [runUpMs, runUpCount] = [150, 50]
/** Cold code costs a multiple, and is compiled for some thousand messages. */
const warmCount = 3000
const roundCount = 100
const connectionsCount = 16
/** A page has 20 messages, and the chats have a few more. */
const pageRows = 25

export const sendCpu = 'embedded: CPU per message, with stores'
export const sendRate = 'embedded: double ticks per second, 32 pairs'
export const coldPages = 'embedded: a page of 20 of chats nobody else asks for: queries per CPU second, with stores'
export const startTime = 'embedded: from spawn to ready'
export const restingMemory = 'embedded: memory at rest'

export const embedded: Scenario = async (bench) => {
  const sheet = createSheet()
  const missed = { account: accountOf('missed-b'), count: bench.choose({ quick: 1000, default: 10_000, full: 10_000 }) }
  const readers = Array.from({ length: connectionsCount }, (_, i) => accountOf(`reader-${i}`))
  const chatsEach = bench.choose({ quick: 10, default: 125, full: 500 })
  let [missedId, manyIds]: [string, string[][]] = ['', []]
  const ours = await bench.embedded(async (dataDir) => {
    const seeds = await createEmbeddedSeeds(dataDir)
    missedId = await seeds.chat('missed-a', missed.account.userId, missed.count)
    const chatsOf = ({ userId }: Account) =>
      Promise.all(Array.from({ length: chatsEach }, (_, i) => seeds.chat(`${userId}-other-${i}`, userId, pageRows)))
    manyIds = await Promise.all(readers.map(chatsOf))
    await seeds.close()
  })
  const mercurius = await bench.subject('mercurius')
  await seedStreams(bench.stores.redis, 'mercurius', manyIds.flat(), pageRows)
  await sends(bench, sheet, [ours, mercurius, await bench.subject('socket.io')])
  await pages(bench, sheet, [ours, mercurius], { readers, manyIds })
  await catchUp(bench, sheet, ours, { ...missed, conversationId: missedId })
  await ours.stop()
  await starts(bench, sheet)
  return sheet.measured()
}

async function sends(bench: Bench, sheet: Sheet, subjects: readonly Subject[]): Promise<void> {
  const crews: Crew[] = []
  for (const subject of subjects) crews.push(await openCrew(subject, `embedded-${subject.who}`))
  const roundMs = bench.choose({ quick: 300, default: 400, full: 5000 })
  const warmMs = bench.choose({ quick: 300, default: 1500, full: 4000 })
  for (const { asFastAsPossible } of crews) await asFastAsPossible(warmMs, warmCount)
  await interleave(bench.choose({ quick: 1, default: 11, full: 15 }), crews, async ({ subject, asFastAsPossible }) => {
    // A server that had to wait for the others is out of all caches.
    await asFastAsPossible(runUpMs, runUpCount)
    const { count, wallMs, serverMs, redisMs } = await bench.meter(subject, () => asFastAsPossible(roundMs, roundCount))
    const add = (what: string, unit: string, value: number) => sheet.add(what, subject.who, unit, value, 'mercurius')
    add(sendCpu, 'ms', (serverMs + redisMs) / count)
    add('embedded: CPU per message, of the server alone', 'ms', serverMs / count)
    add(sendRate, '/s', (1000 * count) / wallMs)
  })
  await interleave(bench.choose({ quick: 1, default: 3, full: 5 }), crews, async ({ subject, atRate }) => {
    const [deliveredMs, tickedMs]: [number[], number[]] = [[], []]
    const { count, serverMs, redisMs } = await bench.meter(subject, () =>
      atRate(openRate, bench.choose({ quick: 500, default: 2000, full: 10_000 }), deliveredMs, tickedMs),
    )
    const add = (what: string, value: number) => sheet.add(what, subject.who, 'ms', value, 'mercurius')
    add(`embedded: CPU per message at ${openRate}/s, with stores`, (serverMs + redisMs) / count)
    add(`embedded: delivered at ${openRate}/s, p50`, quantile(deliveredMs, 0.5))
    add(`embedded: delivered at ${openRate}/s, p99`, quantile(deliveredMs, 0.99))
    add(`embedded: double tick at ${openRate}/s, p50`, quantile(tickedMs, 0.5))
    add(`embedded: double tick at ${openRate}/s, p99`, quantile(tickedMs, 0.99))
  })
  const [ours] = crews
  if (bench.profiles !== undefined && ours) {
    const ms = bench.choose({ quick: 1000, default: 4000, full: 8000 })
    await ours.subject.profiled(`${bench.profiles}/embedded-send.cpuprofile`, () => ours.asFastAsPossible(ms))
  }
  for (const crew of crews) crew.close()
}

async function pages(bench: Bench, sheet: Sheet, subjects: readonly Subject[], many: Many): Promise<void> {
  const ways: Way[] = []
  for (const subject of subjects) ways.push(...(await waysOf(subject, many)))
  const warm = { ms: bench.choose({ quick: 200, default: 800, full: 3000 }), count: 600 }
  const round = { ms: bench.choose({ quick: 200, default: 400, full: 3000 }), count: 100 }
  const runUp = { ms: 100, count: 50 }
  for (const { ask } of ways) await ask(warm)
  await interleave(bench.choose({ quick: 1, default: 7, full: 14 }), ways, async ({ subject, what, ask }) => {
    await ask(runUp)
    const { count, wallMs, serverMs, redisMs } = await bench.meter(subject, () => ask(round))
    const add = (unit: string, of: string, value: number) =>
      sheet.add(`${what}: ${of}`, subject.who, unit, value, 'mercurius')
    add('/s', 'queries per CPU second, with stores', (1000 * count) / (serverMs + redisMs))
    add('/s', 'queries per CPU second, of the server alone', (1000 * count) / serverMs)
    add('/s', 'queries per second', (1000 * count) / wallMs)
  })
  if (bench.profiles !== undefined) {
    const ms = bench.choose({ quick: 1000, default: 3000, full: 8000 })
    for (const { subject, what, ask } of ways.filter((way) => way.subject === subjects[0])) {
      const file = `${bench.profiles}/${what.replaceAll(/\W+/g, '-')}.cpuprofile`
      await subject.profiled(file, () => ask({ ms, count: 0 }))
    }
  }
  for (const { close } of ways) close()
}

/** `readers` are those as whom the connections ask, and `manyIds` the stored chats of each of them. */
type Many = { readers: readonly Account[]; manyIds: readonly (readonly string[])[] }
type Way = { subject: Subject; what: string; ask(least: Least): Promise<number>; close(): void }

/**
 * All connections ask for the same page; or each for that of a chat of its own, again and again; or each for those of many chats in turn, more
 * than any server here would keep.
 */
async function waysOf(subject: Subject, { readers, manyIds }: Many): Promise<Way[]> {
  const chats = await Promise.all(readers.map((_, i) => chatOf(subject, `page-${subject.who}-${i}`, pageRows)))
  const connections = await Promise.all(chats.map(() => openConnection(subject.port)))
  const requestOf = ({ token, userId }: Account, conversationId: string): Buffer => {
    const headers = { authorization: `Bearer ${token}`, 'x-user-id': userId }
    return postOf('/graphql', { query: messages, variables: { conversationId, first: 20 } }, headers)
  }
  const own = chats.map(({ alice, conversationId }) => requestOf(alice, conversationId))
  const many = readers.map((reader, i) => (manyIds[i] ?? []).map((id) => requestOf(reader, id)))
  const turns = readers.map(() => 0)
  const close = () => connections.forEach((connection) => void connection.close())
  const way = (what: string, request: Parameters<typeof overHttp>[1]): Way => ({
    subject,
    what: `embedded: a page of 20${what}`,
    ask: (least) => overHttp(connections, request, least),
    close,
  })
  return [
    way(', the same for all', own[0] as Buffer),
    way(' of chats nobody else asks for', (index) => own[index] as Buffer),
    way(` of ${manyIds.flat().length.toLocaleString('en')} chats in turn`, (index) => {
      const turn = turns[index] ?? 0
      turns[index] = turn + 1
      const requests = many[index] as Buffer[]
      return requests[turn % requests.length] as Buffer
    }),
  ]
}

type Missed = { account: Account; conversationId: string; count: number }

/** Measures the catch-up of a device that has nothing. The others have no catch-up. */
async function catchUp(bench: Bench, sheet: Sheet, subject: Subject, { account, conversationId, count }: Missed) {
  for (let i = 0; i < bench.choose({ quick: 1, default: 5, full: 9 }); i += 1) {
    const socket = await openGraphQLSocket(subject.port, account)
    const { serverMs, wallMs } = await bench.meter(subject, () => hearAll(socket, conversationId, count))
    socket.close()
    const who = `${subject.who}, ${count.toLocaleString('en')} missed`
    sheet.add('embedded: catch-up, CPU per message', who, 'µs', (1000 * serverMs) / count)
    sheet.add('embedded: catch-up, messages per second', who, '/s', (1000 * count) / wallMs)
    sheet.add('embedded: catch-up, until the last', who, 'ms', wallMs)
  }
}

export const [production, development] = ['parley, production', 'parley, development']

async function starts(bench: Bench, sheet: Sheet): Promise<void> {
  const modes = [
    { who: production, environment: { NODE_ENV: 'production', STORE: 'embedded', AUTH_JWT_SECRET: secret } },
    { who: development, environment: {} },
  ]
  const restMs = bench.choose({ quick: 500, default: 4000, full: 20_000 })
  await interleave(bench.choose({ quick: 1, default: 3, full: 7 }), modes, async ({ who, environment }) => {
    const server = await bench.plain(environment)
    const { cpuMs } = await server.usage()
    sheet.add(startTime, who, 'ms', server.readyMs)
    sheet.add('embedded: CPU from spawn to ready', who, 'ms', cpuMs)
    await sleep(restMs)
    const { rssBytes } = await server.usage()
    sheet.add(restingMemory, who, 'MB', rssBytes / 1e6)
    await server.stop()
  })
}
