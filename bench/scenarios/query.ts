import { type Bench, interleave, type Scenario, type Subject, type Who } from '../bench.ts'
import { chatOf } from '../load/chat-of.ts'
import { messages } from '../load/documents.ts'
import { openGraphQLSocket, operationFrame } from '../load/graphql-socket.ts'
import { openConnection, postOf } from '../load/http.ts'
import { completedOf, type Least, overHttp, overSockets } from '../load/loops.ts'
import { createSheet } from '../sheet.ts'

// Measures the newest 20 messages of a chat, by HTTP and by WebSocket: ours and stock's from DynamoDB, mercurius's from a Redis stream. And, with
// `--full`, stock's and mercurius's from the memory of the process: what is left when a store costs nothing.

const subjects: readonly Who[] = ['parley', 'stock', 'mercurius']
const connectionsCount = 16
const socketsCount = 4
const underWay = 8
const inMemory = messages
  .replace('$conversationId: ID!, $first: Int, $after: String, $last: Int', '$first: Int')
  .replace(
    'messages(conversationId: $conversationId, first: $first, after: $after, last: $last)',
    'messagesInMemory(first: $first)',
  )

export const queryOfTwenty: Scenario = async (bench) => {
  const sheet = createSheet()
  const ways = []
  const withMemory = bench.choose({ quick: true, default: false, full: true })
  for (const who of subjects) ways.push(...(await waysOf(await bench.subject(who), withMemory)))
  const warm = { ms: bench.choose({ quick: 200, default: 800, full: 3000 }), count: 600 }
  const round = { ms: bench.choose({ quick: 200, default: 250, full: 3000 }), count: 100 }
  /** A server that had to wait for the others is out of all caches. */
  const runUp = { ms: 100, count: 50 }
  for (const { ask } of ways) await ask(warm)
  const measure = async ({ subject, who, how, ask }: Way) => {
    await ask(runUp)
    const { count, wallMs, serverMs } = await bench.meter(subject, () => ask(round))
    sheet.add(`${how}: server CPU per query`, who, 'ms', serverMs / count, 'mercurius')
    sheet.add(`${how}: queries per second`, who, '/s', (1000 * count) / wallMs, 'mercurius')
    sheet.add(`${how}: ${perCpuSecond}`, who, '/s', (1000 * count) / serverMs, 'mercurius')
  }
  await interleave(bench.choose({ quick: 1, default: 3, full: 7 }), ways, measure)
  // These two are compared with each other, and the machine is restless.
  const compared = ways.filter(({ who, how }) => how === overHttpName && (who === 'parley' || who === 'mercurius'))
  await interleave(bench.choose({ quick: 0, default: 7, full: 14 }), compared, measure)
  await profile(bench, ways)
  for (const { close } of ways) close()
  return sheet.measured()
}

export const perCpuSecond = 'queries per second of server CPU'
export const overHttpName = '20 messages by HTTP'

type Way = Awaited<ReturnType<typeof waysOf>>[number]

async function waysOf(subject: Subject, withMemory: boolean) {
  const { who, port } = subject
  const { alice, conversationId } = await chatOf(subject, `query-${who}`, 25)
  const connections = await Promise.all(Array.from({ length: connectionsCount }, () => openConnection(port)))
  const sockets = await Promise.all(Array.from({ length: socketsCount }, () => openGraphQLSocket(port, alice)))
  const headers = { authorization: `Bearer ${alice.token}`, 'x-user-id': alice.userId }
  const variables = { conversationId, first: 20 }
  const frames = Array.from({ length: underWay }, (_, i) => operationFrame(String(i), messages, variables))
  const request = postOf('/graphql', { query: messages, variables }, headers)
  const fromMemory = postOf('/graphql', { query: inMemory, variables: { first: 20 } }, headers)
  const byHttp = {
    subject,
    who: who as string,
    how: overHttpName,
    ask: (least: Least) => overHttp(connections, request, least),
    close: () => connections.forEach((connection) => void connection.close()),
  }
  const bySocket = {
    ...byHttp,
    how: '20 messages by WebSocket',
    ask: (least: Least) => overSockets(sockets, frames, completedOf, least),
    close: () => sockets.forEach((socket) => void socket.close()),
  }
  const byMemory = {
    ...byHttp,
    who: `${who}, from memory`,
    ask: (least: Least) => overHttp(connections, fromMemory, least),
  }
  return who === 'parley' || !withMemory ? [byHttp, bySocket] : [byHttp, bySocket, byMemory]
}

async function profile({ profiles, choose }: Bench, ways: readonly Way[]): Promise<void> {
  if (profiles === undefined) return
  const ms = choose({ quick: 1000, default: 3000, full: 8000 })
  for (const { subject, who, how, ask } of ways.filter((way) => way.who === 'parley')) {
    await subject.profiled(`${profiles}/${how.replaceAll(' ', '-')}-${who}.cpuprofile`, () => ask({ ms, count: 0 }))
  }
}
