import { execFile } from 'node:child_process'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { freePort } from '../kit/free-port.ts'
import { type LogLine, type NodeProcess, startNodeProcess } from '../kit/nodes/node-process.ts'
import { createPerson, type Person, testSecret } from '../kit/person.ts'
import { startDevice } from '../kit/runtime.ts'
import { startNginx } from '../kit/services/nginx.ts'
import { type RedisServer, startRedis } from '../kit/services/redis.ts'
import { sharedService } from '../kit/shared-services.ts'

// Two nodes are restarted in turns behind nginx, with deploy/nginx.conf, while 40 messages are sent each second: a quarter of them by curl, each on
// a connection of its own, a quarter over kept connections, both without a second attempt, and half by client runtimes. nginx is told nothing of the
// restarts.

/** `npm run proofs` has 4,800, for two minutes, and the delay of production before each drain. */
const sendsMin = Number(process.env.ROLLING_SENDS ?? 200)
const isProof = process.env.ROLLING_SENDS !== undefined
const restartsMin = 4
const sendEveryMs = 25
/** Each has one message under way at a time. */
const runtimesCount = 5

let redis: RedisServer
let settings: Record<string, string>
let script: string

beforeAll(async () => {
  script = await sharedService('server')
  redis = await startRedis()
  settings = {
    REDIS_URL: redis.url,
    DYNAMODB_ENDPOINT: await sharedService('dynalite'),
    CREATE_TABLES: 'true',
    TABLE_PREFIX: 'rolling_',
    AUTH_JWT_SECRET: testSecret,
    TRUSTED_PROXIES: '1',
    // nginx does not ask whether a node is ready, so the suite need not wait while one says that it is not.
    ...(!isProof && { DRAIN_DELAY_MS: '500' }),
  }
})
afterAll(() => redis?.stop())

it(`none of ${sendsMin} sends through nginx fails while the nodes are restarted`, { timeout: 900_000 }, async () => {
  const ports = [await freePort(), await freePort()] as const
  const late: LogLine[][] = []
  const start = async (at: number) => {
    const { isExcuse, stops } = createExcuses()
    const node = await startNodeProcess(script, { ...settings, PORT: String(ports[at]) }, isExcuse)
    late.push(node.log)
    return {
      stop() {
        stops()
        return node.stop()
      },
    }
  }
  const nodes: { stop: NodeProcess['stop'] }[] = [await start(0), await start(1)]
  const nginx = await startNginx({ 'node-a': ports[0], 'node-b': ports[1] })
  onTestFinished(async () => {
    await Promise.all([nginx.stop(), ...nodes.map((node) => node.stop())])
  })

  const bob = await createPerson('bob', nginx.url)
  const atBob = startDevice('bob', `${nginx.url}/graphql`)
  const runtimes = Array.from({ length: runtimesCount }, (_, i) => startDevice(`carol-${i}`, `${nginx.url}/graphql`))
  onTestFinished(async () => void (await Promise.all([atBob, ...runtimes].map((each) => each.leave()))))
  await Promise.all(runtimes.map((each) => each.online()))
  const socket = watchSocket(bob)
  onTestFinished(socket.stop)

  let restarts = 0
  let enough = false
  async function restartInTurns(): Promise<void> {
    for (let at = 0; !enough; at = 1 - at) {
      expect(await nodes[at]?.stop()).toEqual([0, null])
      nodes[at] = await start(at)
      restarts += 1
    }
  }
  const restarting = restartInTurns()
  const alice = await createPerson('alice', nginx.url)
  const kept = new Agent({ keepAlive: true, maxSockets: 4 })
  onTestFinished(() => kept.destroy())
  const answers: Promise<Answer>[] = []
  const bodies: string[] = []
  while (bodies.length < sendsMin || restarts < restartsMin) {
    const body = `m${bodies.length + 1}`
    bodies.push(body)
    if (bodies.length % 4 === 0) answers.push(sendByCurl(alice, bob, body))
    else if (bodies.length % 4 === 2) answers.push(sendOverKept(kept, alice, bob, body))
    else runtimes[(bodies.length >> 1) % runtimesCount]?.send({ userId: bob.userId }, body)
    await sleep(sendEveryMs)
  }
  enough = true
  await restarting

  const failed = (await Promise.all(answers)).filter(({ text }) => text !== '201' && text !== '200')
  const excused = new Set(late.flat().map(({ requestId }) => requestId))
  const inexcusable = failed.filter(({ body }) => !excused.has(body))
  const ofThem =
    failed.length > 0 ? `, ${failed.length - inexcusable.length} of them where Redis or DynamoDB was late` : ''
  const summary = `${bodies.length} sends, ${restarts} restarts, ${socket.ends.length} ends of sockets, ${failed.length} sends failed${ofThem}`
  if (isProof) console.log(summary)
  expect(isProof ? failed : inexcusable, `${summary}\n${await nginx.errors()}`).toEqual([])
  for (const { outbox } of runtimes) await expect.poll(() => outbox.get(), { timeout: 120_000 }).toEqual([])
  // A send that failed may be stored all the same.
  const unsure = new Set(failed.map(({ body }) => body))
  const sure = (all: readonly string[]) => all.filter((body) => !unsure.has(body)).sort()
  const told = () => atBob.told.map((line) => line.split(' ')[1] ?? '')
  await expect.poll(() => sure(told()), { timeout: 120_000 }).toEqual(sure(bodies))
  expect(new Set(told()).size).toBe(told().length)
  expect(new Set(socket.ends)).toEqual(new Set(['1012 Service restart']))
})

type Answer = { body: string; text: string }

/**
 * On a busy machine Redis and DynamoDB may be late, which the client is told, and which has nothing to do with restarts: the operation took long, or
 * Redis is given up after it was late and for a moment answers nobody. A node that refuses because it drains does so at once. The proof excuses
 * nothing: it has the machine for itself.
 */
function createExcuses() {
  let wasLate = false
  let isStopping = false
  return {
    isExcuse({ msg, codes, durationMs, reason }: LogLine): boolean {
      wasLate ||= reason === 'timeout'
      const isRefusal = msg === 'operation' && String(codes) === 'UNAVAILABLE'
      return isRefusal && (Number(durationMs) > 400 || (wasLate && !isStopping))
    },
    stops() {
      isStopping = true
    },
  }
}

const fieldsOf = ({ token }: Person, body: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  'x-request-id': body,
})
const inputOf = ({ userId }: Person, body: string) => JSON.stringify({ clientMessageId: body, to: { userId }, body })

/** Resolves with the status, or with what else curl has to say. */
function sendByCurl(from: Person, to: Person, body: string): Promise<Answer> {
  const headers = Object.entries(fieldsOf(from, body)).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  return new Promise((resolve) => {
    execFile(
      'curl',
      ['-sS', '-w', '%{http_code}', `${from.url}/messages`, ...headers, '-d', inputOf(to, body)],
      (error, out, complaint) => {
        const all = `${out}${complaint}`
        resolve({ body, text: !error && /20[01]$/.test(all) ? all.slice(-3) : all })
      },
    )
  })
}

/** Resolves with the status, or with what became of the connection. */
function sendOverKept(agent: Agent, from: Person, to: Person, body: string): Promise<Answer> {
  return new Promise((resolve) => {
    request(`${from.url}/messages`, { method: 'POST', agent, headers: fieldsOf(from, body) }, (answer) => {
      answer.on('error', ({ message }) => resolve({ body, text: message }))
      answer.on('end', () => resolve({ body, text: String(answer.statusCode) })).resume()
    })
      .on('error', ({ message }) => resolve({ body, text: message }))
      .end(inputOf(to, body))
  })
}

/** Keeps a socket open, opens the next one as soon as it is closed, and notes how each has ended. */
function watchSocket({ token, url }: Person) {
  const ends: string[] = []
  let stopped = false
  let socket = open()

  function open(): WebSocket {
    const opened = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    opened.on('open', () =>
      opened.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } })),
    )
    opened.on('error', ({ message }) => ends.push(message))
    opened.on('close', (code, reason) => {
      if (stopped) return
      ends.push(`${code} ${reason}`)
      socket = open()
    })
    return opened
  }

  return {
    ends,
    stop() {
      stopped = true
      socket.terminate()
    },
  }
}
