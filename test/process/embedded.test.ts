import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'

// The server as `npm start` runs it: one process, and everything it keeps in one directory.

let dataDir: string
let undo: (() => Promise<unknown> | unknown)[] = []

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-embedded-'))
  undo = [() => rm(dataDir, { recursive: true })]
})

afterEach(async () => {
  for (const each of undo.reverse()) await each()
})

type Running = { process: ChildProcess; url: string; greeting: string[] }

const secret = 'a secret that is long enough for HS256 in tests alone'

async function start(
  environment: Record<string, string> = {},
  [command = process.execPath, ...before]: readonly string[] = [],
): Promise<Running | { failed: string }> {
  const child = spawn(command, [...before, '--import', 'tsx', 'src/server.ts'], {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'info', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  undo.push(() => kill(child))
  const errors: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line))
  const greeting: string[] = []
  let url: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    greeting.push(line)
    url ??= /(?:running at |"url":")(http:[^\s"]+)/.exec(line)?.[1]
    // In production there is no greeting; elsewhere it ends with the ready-made message.
    if (url && (environment.NODE_ENV === 'production' || line.includes('Hello, Bob'))) {
      return { process: child, url, greeting }
    }
  }
  return { failed: errors.join('\n') }
}

async function started(...options: Parameters<typeof start>): Promise<Running> {
  const running = await start(...options)
  if ('failed' in running) throw new Error(running.failed)
  return running
}

async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  return child.exitCode
}

async function post(url: string, body: unknown, token?: string) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const tokenOf = async (url: string, userId: string): Promise<string> =>
  String((await post(`${url}/dev/token`, { userId })).body.token)

const send = (url: string, token: string, clientMessageId: string) =>
  post(`${url}/messages`, { clientMessageId, to: { userId: 'bob' }, body: clientMessageId }, token)

test('what was acknowledged before a kill -9 is there after it, with its seq, and a retry is a duplicate', async () => {
  const first = await started()
  const alice = await tokenOf(first.url, 'alice')
  const sent = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => send(first.url, alice, id)))
  expect(sent.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
  await kill(first.process)

  const second = await started()
  const again = await send(second.url, alice, 'c')
  expect(again).toMatchObject({ status: 200, body: { duplicate: true, message: sent[2]?.body.message } })
  const next = await send(second.url, alice, 'f')
  expect(next).toMatchObject({ status: 201, body: { message: { seq: 6 } } })
})

test('a disk that is full ends the process at once, and what was acknowledged before is there', async () => {
  // The system refuses to let a file grow beyond 2 or 4 MB, as the shell counts.
  const limited = ['sh', '-c', 'ulimit -f 4096; exec "$0" "$@"', process.execPath]
  const first = await started({}, limited)
  const ended = once(first.process, 'exit')
  const alice = await tokenOf(first.url, 'alice')
  const acknowledged = new Map<string, unknown>()
  const sendLarge = async (url: string, id: string, token = alice) => {
    const message = { clientMessageId: id, to: { userId: 'bob' }, body: `${id} ${'é'.repeat(4000)}` }
    const { status, body } = await post(`${url}/messages`, message, token)
    return { status, message: body.message }
  }
  async function sendAll(person: number): Promise<void> {
    for (let i = 0; i < 200; i += 1) {
      const { status, message } = await sendLarge(first.url, `m-${person}-${i}`)
      if (status === 201) acknowledged.set(`m-${person}-${i}`, message)
    }
  }
  await Promise.allSettled([0, 1, 2, 3, 4].map(sendAll))
  const [code, signal] = await ended
  // LMDB damages memory when a write fails, and may be aborted for it.
  expect(code === 1 || signal === 'SIGABRT', `${code} ${signal}`).toBe(true)
  expect(acknowledged.size).toBeGreaterThan(50)

  const second = await started()
  const again = await Promise.all([...acknowledged.keys()].map((id) => sendLarge(second.url, id)))
  expect(again).toEqual([...acknowledged.values()].map((message) => ({ status: 200, message })))
})

test('it is one process, says what it runs on, and how to run on the others', async () => {
  const { process: server, greeting } = await started()
  // tsx compiles the sources here, with esbuild in a process of its own.
  const children = await promisify(execFile)('ps', ['--ppid', String(server.pid), '-o', 'comm=']).catch(() => ({
    stdout: '',
  }))
  expect(children.stdout.split('\n').filter((name) => name !== '' && name !== 'esbuild')).toEqual([])
  expect(greeting.join('\n')).toContain(`LMDB, on disk in ${join(dataDir, 'store')}`)
  expect(greeting.join('\n')).toMatch(/REDIS_URL=\S+ DYNAMODB_ENDPOINT=\S+ CREATE_TABLES=true npm start/)
  expect(await kill(server, 'SIGTERM')).toBe(0)
  expect((await readdir(join(dataDir, 'store'))).sort()).toEqual(['data.mdb', 'journal-0', 'journal-1', 'lock.mdb'])
})

test('with a Redis it keeps its store alone, and says so', async () => {
  const { greeting } = await started({ REDIS_URL: 'redis://127.0.0.1:1' })
  expect(greeting.join('\n')).toContain(`LMDB, on disk in ${join(dataDir, 'store')}`)
  expect(greeting.join('\n')).toContain('This is one process with its store in it. To run many nodes')
})

test('a second server on the same directory is told so, and the first goes on', async () => {
  const first = await started()
  expect(await start()).toEqual({
    failed: expect.stringContaining(`Another server is already running on ${join(dataDir, 'store')}.`),
  })
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
})

test('production runs on it only where STORE=embedded asks for it', async () => {
  const production = { NODE_ENV: 'production', AUTH_JWT_SECRET: secret }
  expect(await start(production)).toEqual({
    failed: expect.stringMatching(/DYNAMODB_ENDPOINT is missing.*STORE=embedded/),
  })
  const { url } = await started({ ...production, STORE: 'embedded' })
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready', redis: true, dynamodb: true })
})

test('the data of an earlier release is not passed over in silence', async () => {
  await mkdir(join(dataDir, 'dynamodb'))
  const { greeting } = await started()
  expect(greeting.join('\n')).toContain(`${join(dataDir, 'dynamodb')} has the data of an earlier release`)
})
