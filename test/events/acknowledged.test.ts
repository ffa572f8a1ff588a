import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../kit/free-port.ts'
import { type NodeProcess, startNodeProcess } from '../kit/nodes/node-process.ts'
import { signToken, testSecret } from '../kit/person.ts'
import { createService } from '../kit/service.ts'
import { type RedisServer, startRedis } from '../kit/services/redis.ts'
import { startWebhookReceiver } from '../kit/services/webhook-receiver.ts'
import { sharedService } from '../kit/shared-services.ts'
import { waitUntil } from '../kit/wait-until.ts'

// While people write, nodes are killed, Redis is emptied twice, and a consumer of the feed is killed again and again. A webhook's endpoint fails every
// third request. In the end each has every message that was acknowledged.

/** `npm run proofs` has 10,000. */
const messages = Number(process.env.EVENT_MESSAGES ?? 240)
const chats = messages < 1000 ? 12 : 100
const consumerKills = messages < 1000 ? 3 : 10
const consumer = fileURLToPath(new URL('feed-consumer.mjs', import.meta.url))

type Event = {
  id: string
  type: string
  conversationId: string | null
  seq: number | null
  data: Record<string, unknown>
  position: string
}
type Stored = { seq: number; body: string }

let redis: RedisServer
let settings: Record<string, string>
let script: string
let folder: string

beforeAll(async () => {
  script = await sharedService('server')
  redis = await startRedis()
  folder = await mkdtemp(join(tmpdir(), 'parley-events-'))
  settings = {
    REDIS_URL: redis.url,
    DYNAMODB_ENDPOINT: await sharedService('dynalite'),
    CREATE_TABLES: 'true',
    TABLE_PREFIX: `events_${process.pid}_`,
    AUTH_JWT_SECRET: testSecret,
    EVENTS: 'on',
    WEBHOOK_ADDRESSES: 'loopback',
    RATE_LIMIT_PER_SECOND: '0',
  }
})
afterAll(async () => {
  await redis?.stop()
  await rm(folder, { recursive: true, force: true })
})

it(`the feed and a webhook have each of ${messages} acknowledged messages, in order`, {
  timeout: 3_600_000,
}, async () => {
  const ports = [await freePort(), await freePort()]
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const nodes: NodeProcess[] = []
  const start = async (at: number) => {
    nodes[at] = await startNodeProcess(script, { ...settings, PORT: String(ports[at]) })
  }
  await start(0)
  await start(1)
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.stop()))))

  const backend = await createService('shop', urls[0] ?? '')
  const { events } = await backend.ask<{ events: { position: string } }>('{ events { position } }')
  const receiver = await startWebhookReceiver()
  onTestFinished(receiver.stop)
  let requests = 0
  const takenIds = new Set<string>()
  receiver.says(({ id }) => {
    requests += 1
    if (requests % 3 === 0) return 500
    takenIds.add(id)
    return 204
  })
  const { createWebhook } = await backend.ask<{ createWebhook: { webhook: { id: string; secret: string } } }>(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id secret } } }',
    { input: { url: receiver.url, eventTypes: ['message.sent'] } },
  )
  receiver.verifies(createWebhook.webhook.secret)
  const reading = startConsumer(urls, backend.token, events.position)
  onTestFinished(reading.kill)

  const beganAtMs = performance.now()
  const sent = await sendAll(urls, [
    { at: 0.1, do: () => kill(nodes[0]) },
    { at: 0.3, do: () => redis.flush() },
    { at: 0.4, do: () => start(0) },
    { at: 0.6, do: () => kill(nodes[1]) },
    { at: 0.7, do: () => redis.flush() },
    { at: 0.8, do: () => start(1) },
    ...Array.from({ length: consumerKills }, (_, i) => ({ at: (i + 0.5) / consumerKills, do: reading.restart })),
  ])
  const sentAtMs = performance.now()
  const patience = { timeout: 1_200_000, interval: 200 }
  const fed = () => reading.events().filter(({ type }) => type === 'message.sent')
  await waitUntil(async () => fed().length >= messages, patience)
  const fedAtMs = performance.now()
  await waitUntil(async () => takenIds.size >= messages, patience)
  const seconds = (fromMs: number) => ((performance.now() - fromMs) / 1000).toFixed(1)
  console.log(
    `${messages} messages in ${chats} chats in ${((sentAtMs - beganAtMs) / 1000).toFixed(1)} s; the feed had them ` +
      `${((fedAtMs - sentAtMs) / 1000).toFixed(1)} s later, the webhook ${seconds(sentAtMs)} s later, by ${requests} requests`,
  )

  // The file has each event once: it goes on after the last one it has kept.
  expect(byConversation(fed())).toEqual(sent)
  expect(byConversation(receiver.taken().map((event) => ({ ...event, position: '' })))).toEqual(sent)
  expect(receiver.problems).toEqual([])
  expect(nodes.flatMap(({ complaints }) => complaints)).toEqual([])
})

const kill = async (node: NodeProcess | undefined) => {
  process.kill(node?.pid ?? 0, 'SIGKILL')
  await node?.exited
}

/** Sends them all, each conversation one after the other, and makes the faults when so much of it is acknowledged. */
async function sendAll(urls: readonly string[], faults: { at: number; do: () => Promise<void> }[]) {
  const left = [...faults].sort((one, other) => one.at - other.at)
  const making: Promise<void>[] = []
  let acknowledged = 0
  const stored = await Promise.all(
    Array.from({ length: chats }, async (_, chat) => {
      const token = await signToken(`alice-${chat}`)
      const all: Stored[] = []
      let conversationId = ''
      for (let n = 1; n <= messages / chats; n += 1) {
        const body = `message ${n} of ${chat}`
        const message = await sendUntilAnswered(urls, token, {
          clientMessageId: `m${n}`,
          to: { userId: `bob-${chat}` },
          body,
        })
        conversationId = message.conversationId
        all.push({ seq: message.seq, body })
        acknowledged += 1
        while (left[0] && acknowledged >= left[0].at * messages) making.push(left.shift()?.do() ?? Promise.resolve())
      }
      return [conversationId, all] as const
    }),
  )
  await Promise.all(making)
  return new Map(stored.sort(([one], [other]) => (one < other ? -1 : 1)))
}

async function sendUntilAnswered(urls: readonly string[], token: string, input: object) {
  for (let attempt = 0; ; attempt += 1) {
    const url = urls[Math.floor(Math.random() * urls.length)]
    const response = await fetch(`${url}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(input),
    }).catch(() => undefined)
    if (response?.ok) return ((await response.json()) as { message: Stored & { conversationId: string } }).message
    await response?.body?.cancel()
    if (attempt > 1000) throw new Error(`It is refused: ${response?.status}`)
    // As a client does: nothing tells it when a node is there again.
    await sleep(50)
  }
}

function startConsumer(urls: readonly string[], token: string, from: string) {
  const file = join(folder, 'events.ndjson')
  let child: ChildProcess
  const launch = () => {
    const environment = { PATH: process.env.PATH, URLS: urls.join(','), TOKEN: token, FILE: file, FROM: from }
    child = spawn(process.execPath, [consumer], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  async function end(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  launch()
  return {
    kill: end,
    async restart(): Promise<void> {
      await end()
      launch()
    },
    events(): Event[] {
      const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
      return text
        .slice(0, text.lastIndexOf('\n') + 1)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Event)
    },
  }
}

/** In the order in which they came. */
function byConversation(events: readonly Omit<Event, 'position'>[]): Map<string, Stored[]> {
  const found = new Map<string, Stored[]>()
  for (const { conversationId, seq, data } of events) {
    const all = found.get(conversationId ?? '') ?? []
    all.push({ seq: seq ?? 0, body: String(data.body) })
    found.set(conversationId ?? '', all)
  }
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)))
}
