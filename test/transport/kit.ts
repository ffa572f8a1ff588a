// A transport on a free port, with a small schema in the place of the real one, and clients to talk to it.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { SignJWT } from 'jose'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { type Config, readConfig } from '../../src/config/config.ts'
import type { CompleteConfig } from '../../src/config/dev-secrets.ts'
import { createGraphiQL } from '../../src/dev/graphiql.ts'
import { createDevRoutes } from '../../src/dev/routes.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { isUserId, type UserId } from '../../src/protocol/ids.ts'
import { createRateLimitsMemory } from '../../src/store/embedded/soft-state/rate-limits.ts'
import { createDevTokens, type DevTokens } from '../../src/transport/auth/auth.ts'
import { createIsFamiliarHost } from '../../src/transport/http/familiar-host.ts'
import type { Routes } from '../../src/transport/http/http.ts'
import type { SendMessage } from '../../src/transport/http/rest.ts'
import { createTransport, type TransportOptions } from '../../src/transport/transport.ts'
import { createSleepers } from '../kit/stepped-clock.ts'
import { createTestSchema, type Stage } from './schema.ts'

/** Lets these tests run with the library: `WEBSOCKET_PROTOCOL=graphql-ws npx vitest run test/transport/websocket`. */
const { WEBSOCKET_PROTOCOL = 'lean' } = process.env

/** What development mode would have, for a transport that also knows a secret. */
const asAtADesk = { GRAPHIQL: 'true', RATE_LIMIT_PER_SECOND: '0', SOCKETS_PER_USER: '0', SOCKETS_PER_ADDRESS: '0' }

const secretText = 'a secret of at least thirty-two bytes'
export const secret = new TextEncoder().encode(secretText)

export const asUser = (text: string): UserId => {
  if (!isUserId(text)) throw new Error(`${text} is no user id`)
  return text
}

// ---------------------------------------------------------------- time

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const timer = setTimeout(done, ms)
      signal?.addEventListener('abort', done)
      function done() {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
    }),
}

export type ManualClock = Clock & {
  /** Moves on, waking whoever sleeps no longer than that, in order. */
  advance(ms: number): Promise<void>
  /** Lets that time pass at once: whoever has slept no longer than that wakes late. */
  leap(ms: number): void
  /** Sets the time of day, and nothing else. */
  stepWall(ms: number): void
  /** Resolves when somebody sleeps for that long. */
  sleeper(ms: number): Promise<void>
}

/** Starts at a whole second, as the times in tokens are. */
export function createManualClock(): ManualClock {
  let nowMs = Math.floor(Date.now() / 1000) * 1000
  let wallStepsMs = 0
  const sleepers = createSleepers()
  const watchers = new Set<() => void>()
  const isAsleep = (ms: number) => sleepers.all().some(({ untilMs }) => untilMs === nowMs + ms)
  return {
    now: () => nowMs + wallStepsMs,
    monotonic: () => nowMs,
    sleep(ms, signal) {
      const woken = sleepers.sleep(nowMs + ms, signal)
      for (const watch of watchers) watch()
      return woken
    },
    async advance(ms) {
      const untilMs = nowMs + ms
      for (;;) {
        await new Promise(setImmediate)
        const [next] = sleepers.all().sort((a, b) => a.untilMs - b.untilMs)
        if (!next || next.untilMs > untilMs) break
        nowMs = Math.max(nowMs, next.untilMs)
        next.wake()
      }
      nowMs = untilMs
    },
    leap(ms) {
      nowMs += ms
      sleepers.wakeUntil(nowMs)
    },
    stepWall(ms) {
      wallStepsMs += ms
    },
    sleeper: (ms) =>
      new Promise((resolve) => {
        const watch = () => {
          if (!isAsleep(ms)) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
      }),
  }
}

// ---------------------------------------------------------------- the transport

export type StartOptions = Partial<Omit<TransportOptions, 'config'>> & {
  demo?: Routes
  devTokens?: DevTokens
  env?: Record<string, string>
  development?: boolean
  config?: Partial<CompleteConfig>
}

const exampleConversationId = (one: UserId, other: UserId) => `dm_${one}-${other}`

export type Started = Awaited<ReturnType<typeof start>>

export async function start({ env = {}, development = false, config = {}, ...options }: StartOptions = {}) {
  const clock = options.clock ?? realClock
  const { stage, schema } = createTestSchema()
  const lines: Record<string, unknown>[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const complete = { ...testConfig(env), development, ...config }
  const isFamiliarHost = createIsFamiliarHost(complete.host, complete.allowedOrigins)
  const { demo, devTokens = createDevTokens(secret, clock), ...others } = options
  const explorer = { isFamiliarHost, exampleConversationId }
  const transport = createTransport({
    config: complete,
    schema,
    createContext: (viewer) => stage.createContext(viewer),
    sendMessage: refuseToSend,
    readiness: { ask: async () => ({ redis: fit, dynamodb: fit }), last: () => ({ redis: true, dynamodb: true }) },
    refusedViewers: { refuses: () => false, onChange: () => undefined },
    rateLimits: createRateLimitsMemory(clock),
    localRateLimits: createRateLimitsMemory(clock),
    clock,
    randomId: randomUUID,
    logger,
    registry: new Registry(),
    ...(development && {
      devRoutes: createDevRoutes({ devTokens, isFamiliarHost, config: complete, ...(demo && { demo }) }),
    }),
    ...(complete.graphiql && { graphiql: createGraphiQL({ ...explorer, ...(development && { devTokens }) }) }),
    ...others,
  })
  const { port } = await transport.listen()
  let drained: Promise<void> | undefined
  const drain = () => {
    drained ??= transport.drain()
    return drained
  }
  onTestFinished(async () => {
    stage.releaseAll()
    if (drained === undefined && clock !== realClock) void endlessly(clock as ManualClock, drain())
    await drain()
  })
  return { url: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}/graphql`, port, stage, lines, clock, drain }
}

async function endlessly(clock: ManualClock, until: Promise<void>): Promise<void> {
  let over = false
  void until.then(() => {
    over = true
  })
  while (!over) await clock.advance(1000)
}

const fit = { isFit: true }

const refuseToSend: SendMessage = async () => {
  throw new Error('This test does not send.')
}

function testConfig(env: Record<string, string>): CompleteConfig {
  const open = env.NODE_ENV === 'production' ? {} : asAtADesk
  const config: Config = readConfig({ PORT: '0', AUTH_JWT_SECRET: secretText, WEBSOCKET_PROTOCOL, ...open, ...env })
  if (config.auth === 'development' || !config.cursorSecrets) throw new Error('The test config is incomplete.')
  return { ...config, development: false, auth: config.auth, cursorSecrets: config.cursorSecrets }
}

// ---------------------------------------------------------------- tokens

type TokenOptions = { expiresAtMs?: number; claims?: Record<string, unknown>; key?: Uint8Array; alg?: string }

export function token(userId: string, { expiresAtMs, claims = {}, key = secret, alg = 'HS256' }: TokenOptions = {}) {
  const expiresAtSeconds = Math.floor((expiresAtMs ?? Date.now() + 3600_000) / 1000)
  return new SignJWT({ sub: userId, exp: expiresAtSeconds, ...claims }).setProtectedHeader({ alg }).sign(key)
}

export const bearer = async (userId: string, options?: TokenOptions) => `Bearer ${await token(userId, options)}`

// ---------------------------------------------------------------- GraphQL over HTTP

type Answer = {
  status: number
  headers: Headers
  data?: Record<string, unknown> | null
  errors?: { message: string; path?: unknown; locations?: unknown; extensions: Record<string, unknown> }[]
}

type PostOptions = {
  authorization?: string | undefined
  variables?: unknown
  accept?: string
  operationName?: string
}

export async function post(server: { url: string }, query: string, options: PostOptions = {}): Promise<Answer> {
  const { authorization = await bearer('alice'), variables, accept = 'application/json', operationName } = options
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: {
      accept,
      'content-type': 'application/json',
      ...('authorization' in options && options.authorization === undefined ? {} : { authorization }),
    },
    body: JSON.stringify({ query, variables, operationName }),
  })
  return { status: response.status, headers: response.headers, ...((await response.json()) as object) }
}

export const codes = ({ errors = [] }: { errors?: { extensions: Record<string, unknown> }[] }) =>
  errors.map(({ extensions }) => extensions.code)

// ---------------------------------------------------------------- frames on a bare WebSocket

type Frame = { type: string; id?: string; payload?: unknown }
export type Socket = Awaited<ReturnType<typeof openSocket>>

/** A client that sends what it is told, right or wrong. */
export async function openSocket(
  server: { wsUrl: string },
  {
    protocols = ['graphql-transport-ws'],
    headers = {},
  }: { protocols?: string[]; headers?: Record<string, string> } = {},
) {
  const socket = new WebSocket(server.wsUrl, protocols, { headers })
  const frames: Frame[] = []
  const watchers = new Set<() => void>()
  const tell = () => {
    for (const watch of watchers) watch()
  }
  let end: { code: number; reason: string } | undefined
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)))
    tell()
  })
  socket.on('close', (code, reason) => {
    end = { code, reason: String(reason) }
    tell()
  })
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')

  /** The first value of `find` that is not undefined, now or after a later frame. */
  function wait<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const watch = () => {
        const found = find()
        if (found === undefined) return
        watchers.delete(watch)
        resolve(found)
      }
      watchers.add(watch)
      watch()
    })
  }

  const send = (frame: unknown) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  return {
    socket,
    frames,
    send,
    closed: () => wait(() => end),
    frame: (type: string, id?: string) =>
      wait(() => frames.find((frame) => frame.type === type && (id === undefined || frame.id === id))),
    framesOf: (id: string, count: number) =>
      wait(() => {
        const found = frames.filter((frame) => frame.id === id)
        return found.length >= count ? found : undefined
      }),
    async init(payload?: unknown) {
      send({ type: 'connection_init', ...(payload === undefined ? {} : { payload }) })
      return wait(() => frames.find(({ type }) => type === 'connection_ack') ?? end)
    },
    subscribe: (id: string, query: string, rest: object = {}) =>
      send({ type: 'subscribe', id, payload: { query, ...rest } }),
  }
}

/** The same, already introduced. */
export async function connect(server: { wsUrl: string }, userId = 'alice', options?: TokenOptions): Promise<Socket> {
  const socket = await openSocket(server)
  await socket.init({ authorization: await bearer(userId, options) })
  return socket
}

// ---------------------------------------------------------------- server-sent events

type ServerSentEvent = { event: string; data: string }

export async function openEvents(server: { url: string }, query: string, authorization?: string) {
  const gone = new AbortController()
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization: authorization ?? (await bearer('alice')),
    },
    body: JSON.stringify({ query }),
    signal: gone.signal,
  })
  onTestFinished(() => gone.abort())
  const events = readEvents(response)
  return {
    response,
    /** The next event, or undefined at the end of the stream. */
    next: async (): Promise<ServerSentEvent | undefined> => (await events.next()).value ?? undefined,
    disconnect: () => gone.abort(),
  }
}

async function* readEvents(response: Response): AsyncGenerator<ServerSentEvent, undefined> {
  if (!response.body) throw new Error('There is no stream.')
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n')) {
      const fields = Object.fromEntries(
        text
          .slice(0, at)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      )
      text = text.slice(at + 2)
      if (fields.event) yield { event: fields.event, data: fields.data ?? '' }
    }
  }
  return undefined
}

export type { Stage }
