import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { deriveVapid } from '../../src/config/derived-secrets.ts'
import { completeConfig } from '../../src/config/dev-secrets.ts'
import { preSendSecrets } from '../../src/config/pre-send.ts'
import { secretText } from '../../src/shared/standard-webhooks.ts'
import { createPerson, line, type Person, testSecret } from '../kit/person.ts'
import { type RedisServer, startRedis } from '../kit/services/redis.ts'
import { sharedService } from '../kit/shared-services.ts'

let script: string
let dynalite: string
let redis: RedisServer
let dataDir: string

beforeAll(async () => {
  script = await sharedService('server')
  dynalite = await sharedService('dynalite')
  redis = await startRedis()
  dataDir = await mkdtemp(join(tmpdir(), 'parley-process-'))
})
afterAll(async () => {
  await Promise.all([redis?.stop(), dataDir && rm(dataDir, { recursive: true })])
})

/** The server with these settings and no others. */
function launch(settings: Record<string, string>) {
  const child = spawn(process.execPath, ['--import', endingWithParent, script], {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir, ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  const seen = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
      for (const check of seen) check()
    })
  }
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>
  return {
    child,
    exited,
    output: () => output,
    says: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const check = () => {
          const found = pattern.exec(output)
          if (found) resolve(found)
        }
        seen.add(check)
        child.once('exit', () => reject(new Error(`It ended without saying ${pattern}: ${output}`)))
        check()
      }),
  }
}

/** However this process ends, nothing is left of what it started. */
const endingWithParent = `data:text/javascript,${encodeURIComponent(`
  process.on('disconnect', () => process.exit(1))
  process.channel.unref()
`)}`

const tellingOfFsync = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs'
  fs.fsyncSync = () => fs.writeSync(2, 'fsync')
  fs.fsync = (_fd, done) => (fs.writeSync(2, 'fsync'), done(null))
`)}`

const breakingOnSignal = `data:text/javascript,${encodeURIComponent(`
  process.on('SIGWINCH', () => void Promise.reject(new Error('stray rejection')))
  process.on('SIGHUP', () => { throw new Error('stray exception') })
`)}`

async function terminate({ child, exited }: { child: ChildProcess; exited: Promise<[number | null, string | null]> }) {
  child.kill('SIGTERM')
  return exited
}

const post = async (url: string, body: object, token?: string) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

describe('a first start, with nothing set', () => {
  it('says where everything is, keeps its data, and exits with 0 when told to', async () => {
    const first = launch({})
    const [, url = ''] = await first.says(/running at (http:\S+)[\s\S]*curl[\s\S]*Hello, Bob/)
    expect(first.output()).toMatch(/GraphiQL +http:\S+\/graphql/)
    expect(first.output()).toMatch(/Demo page +http:\S+\//)
    expect(first.output()).toMatch(/Redis +\S+/)
    expect(first.output()).toMatch(/DynamoDB +\S+/)
    expect(first.output()).toMatch(/REDIS_URL=\S+ DYNAMODB_ENDPOINT=\S+.* npm start/)

    const { json } = await post(`${url}/dev/token`, { userId: 'alice' })
    const { message, sent } = await sendFirst(url, String(json.token))
    expect(sent).toMatchObject({ status: 201, json: { duplicate: false, message: { senderId: 'alice' } } })
    expect(await post(`${url}/dev/token`, { userId: 'no spaces' })).toMatchObject({
      status: 400,
      json: { error: { code: 'BAD_USER_INPUT', field: 'userId' } },
    })
    expect(await terminate(first)).toEqual([0, null])

    const second = launch({})
    const [, again = ''] = await second.says(/running at (http:\S+)/)
    await expect
      .poll(() => post(`${again}/messages`, message, String(json.token)))
      .toMatchObject({ status: 200, json: { ...sent.json, duplicate: true } })
    expect(await terminate(second)).toEqual([0, null])
  })

  /** Until the node can answer: on a busy machine what is embedded may be late at first. Another message each time, to be no duplicate. */
  async function sendFirst(url: string, token: string) {
    for (let attempt = 1; ; attempt += 1) {
      const message = { clientMessageId: `first-${attempt}`, to: { userId: 'bob' }, body: 'Hello, Bob' }
      const sent = await post(`${url}/messages`, message, token)
      if (sent.status !== 503) return { message, sent }
    }
  }
})

describe('a start that cannot be', () => {
  it('says in a line that the port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const node = launch({ ...production({ CREATE_TABLES: 'true', TABLE_PREFIX: 'taken_' }), PORT: String(port) })
    expect(await node.exited).toEqual([1, null])
    expect(node.output().trim().split('\n').at(-1)).toBe(`Port ${port} is in use. Set PORT to another one.`)
    taken.close()
  })

  it('says in a line that DynamoDB does not answer, and where', async () => {
    const node = launch(production({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' }))
    expect(await node.exited).toEqual([1, null])
    expect(node.output()).toMatch(/^DynamoDB does not answer: .*127\.0\.0\.1:1/m)
  })
})

describe('development mode', () => {
  const onRealBackends = () => ({
    REDIS_URL: redis.url,
    DYNAMODB_ENDPOINT: dynalite,
    TABLE_PREFIX: 'exposed_',
    CREATE_TABLES: 'true',
    HOST: '0.0.0.0',
  })

  it('does not start where others can reach it, and says why and what to do', async () => {
    const node = launch(onRealBackends())
    expect(await node.exited).toEqual([1, null])
    for (const word of ['HOST is 0.0.0.0', 'AUTH_JWT_SECRET', '127.0.0.1', 'DEVELOPMENT=true'])
      expect(node.output()).toContain(word)
  })

  it('starts there where DEVELOPMENT=true says so, with a warning in the log, at the terminal and on its page', async () => {
    const node = launch({ ...onRealBackends(), DEVELOPMENT: 'true' })
    const [, port = ''] = await node.says(/running at http:\S+:(\d+)[\s\S]*WARNING: .*HOST is 0\.0\.0\.0.*\/dev\/token/)
    expect(node.output()).toMatch(/"level":40.*HOST is 0\.0\.0\.0/)
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('HOST is 0.0.0.0')
    expect(await terminate(node)).toEqual([0, null])
  })

  it('does not exist beside a secret, and no guard hangs on NODE_ENV', async () => {
    const { publicKey, privateKey, subject } = deriveVapid(new Uint8Array(32))
    const vapid = { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey, VAPID_SUBJECT: subject }
    const node = launch({ ...onRealBackends(), AUTH_JWT_SECRET: testSecret, ...vapid })
    const [, port = ''] = await node.says(/running at http:\S+:(\d+)/)
    const url = `http://127.0.0.1:${port}`
    expect((await fetch(`${url}/dev/token`, { method: 'POST', body: '{"userId":"alice"}' })).status).toBe(404)
    const erin = await createPerson('erin', url)
    const keys = { p256dh: publicKey, auth: 'AAAAAAAAAAAAAAAAAAAAAA' }
    const register = erin.ask(
      'mutation ($input: RegisterDeviceInput!) { registerDevice(input: $input) { deviceId } }',
      {
        input: { deviceId: 'd', platform: 'WEBPUSH', token: JSON.stringify({ endpoint: 'http://127.0.0.1:1/', keys }) },
      },
    )
    await expect(register).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
    expect(await terminate(node)).toEqual([0, null])
  })
})

describe('in production', () => {
  it('names everything that is missing, and exits with 1', async () => {
    const node = launch({ NODE_ENV: 'production', PORT: 'many' })
    expect(await node.exited).toEqual([1, null])
    for (const name of ['REDIS_URL', 'DYNAMODB_ENDPOINT', 'AUTH_JWT_SECRET', 'PORT'])
      expect(node.output()).toContain(name)
  })

  it('names every table that is missing, and exits with 1', async () => {
    const node = launch(production({ TABLE_PREFIX: 'missing_' }))
    expect(await node.exited).toEqual([1, null])
    expect(node.output()).toContain('missing_messages')
    expect(node.output()).toContain('missing_memberships')
  })

  it('serves no explorer, no demo page and no tokens', async () => {
    const node = launch(production({ CREATE_TABLES: 'true', TABLE_PREFIX: 'process_' }))
    const [, url = ''] = await node.says(/(http:\/\/[\d.]+:\d+|http:\/\/localhost:\d+)/)
    const statusOf = async (path: string, init?: RequestInit) => (await fetch(`${url}${path}`, init)).status
    expect(await statusOf('/', { headers: { accept: 'text/html' } })).toBe(404)
    expect(await statusOf('/dev/token', { method: 'POST' })).toBe(404)
    const graphiql = await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })
    expect(await graphiql.text()).not.toContain('GraphiQL')
    expect(await statusOf('/healthz')).toBe(200)
    expect(await statusOf('/readyz')).toBe(200)
    expect(await statusOf('/metrics')).toBe(200)
    expect(await terminate(node)).toEqual([0, null])
  })

  it('logs each send soon, and does not wait for the disk to have it', async () => {
    const settings = production({ CREATE_TABLES: 'true', TABLE_PREFIX: 'logging_' })
    const node = launch({ ...settings, NODE_OPTIONS: `--import=${tellingOfFsync}` })
    const [, url = ''] = await node.says(/(http:\/\/[\d.]+:\d+|http:\/\/localhost:\d+)/)
    // All nodes here share a Redis: the chats of other tests are not to find this one's numbers there.
    const carol = await createPerson('carol', url)
    await carol.send(await createPerson('dave', url), 'to the log')
    await node.says(/"sent":\[.*"msg":"operation"/)
    expect(node.output()).not.toContain('fsync')
    expect(await terminate(node)).toEqual([0, null])
    expect(node.output()).not.toContain('fsync')
  })

  it('a rejection that no code handles is logged and counted, and the node goes on', async () => {
    const settings = production({ CREATE_TABLES: 'true', TABLE_PREFIX: 'stray_' })
    const node = launch({ ...settings, NODE_OPTIONS: `--import=${breakingOnSignal}` })
    const [, url = ''] = await node.says(/(http:\/\/[\d.]+:\d+|http:\/\/localhost:\d+)/)
    node.child.kill('SIGWINCH')
    await node.says(/"level":50.*"kind":"unhandled_rejection".*"frames"/)
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('parley_process_errors_total{kind="unhandled_rejection"} 1')
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect(await terminate(node)).toEqual([0, null])
  })

  it('an exception that no code catches is logged, and the node exits with 1', async () => {
    const settings = production({ CREATE_TABLES: 'true', TABLE_PREFIX: 'stray_' })
    const node = launch({ ...settings, NODE_OPTIONS: `--import=${breakingOnSignal}` })
    await node.says(/(http:\/\/[\d.]+:\d+|http:\/\/localhost:\d+)/)
    node.child.kill('SIGHUP')
    expect(await node.exited).toEqual([1, null])
    expect(node.output()).toMatch(/"level":60.*"kind":"uncaught_exception".*"frames"/)
  })

  it('a node that finds another deployment under its Redis prefix says so, and exits with 1', async () => {
    const node = launch(production({ CREATE_TABLES: 'true', TABLE_PREFIX: 'meeting_', DRAIN_DELAY_MS: '0' }))
    const [, url = ''] = await node.says(/(http:\/\/[\d.]+:\d+|http:\/\/localhost:\d+)/)
    await redis.raw.set('meeting_deployment', 'another others_')
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    expect(await node.exited).toEqual([1, null])
    expect(node.output()).toMatch(/"level":60.*Another deployment uses this Redis under the prefix meeting_/)
  })

  it('says of which release it is, how it stops, and as much more as SIGUSR2 asks for', async () => {
    const node = launch(production({ CREATE_TABLES: 'true', TABLE_PREFIX: 'process_', RELEASE: '1.2.3+abc' }))
    const [, url = ''] = await node.says(/(http:\/\/[\d.]+:\d+|http:\/\/localhost:\d+)/)
    expect(node.output()).toMatch(/"release":"1\.2\.3\+abc".*"msg":"starting"/)
    expect(node.output()).toMatch(/"release":"1\.2\.3\+abc".*"msg":"listening"/)
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain(`parley_build_info{release="1.2.3+abc",node="${process.version}"} 1`)
    node.child.kill('SIGUSR2')
    await node.says(/"logLevel":"debug"/)
    const alice = await createPerson('alice', url)
    await alice.ask('query Loud { viewer { id } }')
    await node.says(/"level":20.*"operation":"Loud"/)
    node.child.kill('SIGUSR2')
    await node.says(/"logLevel":"info"/)
    await alice.ask('query Quiet { viewer { id } }')
    expect(await terminate(node)).toEqual([0, null])
    expect(node.output()).not.toContain('"operation":"Quiet"')
    expect(node.output()).toMatch(/"msg":"draining"[\s\S]*"durationMs":\d+,"msg":"stopped"/)
  })

  it('says that it is not ready before it drains, serving until then, and exits with 0', async () => {
    const node = launch(production({ CREATE_TABLES: 'true', TABLE_PREFIX: 'leaving_', DRAIN_DELAY_MS: '3000' }))
    const [, url = ''] = await node.says(/(http:\/\/[\d.]+:\d+|http:\/\/localhost:\d+)/)
    const alice = await createPerson('alice', url)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const exited = terminate(node)
    await expect
      .poll(async () => (await fetch(`${url}/readyz`)).json(), { interval: 20 })
      .toMatchObject({ status: 'draining', redis: true, dynamodb: true })
    expect(await alice.ask('{ viewer { id } }')).toEqual({ viewer: { id: 'alice' } })
    expect(await exited).toEqual([0, null])
  })
})

/** `npm run proofs` has two thousand. */
const clients = Number(process.env.RETURNING_CLIENTS ?? 300)

describe(`${clients} clients that come back at once`, () => {
  it('are all served', { timeout: 180_000 }, async () => {
    const node = launch(production({ CREATE_TABLES: 'true', TABLE_PREFIX: 'storm_' }))
    const [, url = ''] = await node.says(/(http:\/\/[^"]+:\d+)/)
    const [alice, bob] = [await createPerson('alice', url), await createPerson('bob', url)]
    const send = (body: string) => alice.send(bob, body, { clientMessageId: body }).then(line, (error) => error.code)
    await expect.poll(() => send('before'), { timeout: 60_000 }).toBe('1 before')
    const served = await Promise.all(Array.from({ length: clients }, () => comeBack(bob)))
    await expect.poll(() => send('after'), { timeout: 60_000 }).toBe('2 after')
    for (const client of served) {
      await client.stream.receives(2).catch(async () => {
        await client.stream.stop()
        client.stream = (await comeBack(bob, 2)).stream
      })
    }
    await Promise.all(served.map(({ stream }) => stream.stop()))
    await Promise.all([alice.hangUp(), bob.hangUp()])
    expect(await terminate(node)).toEqual([0, null])
  })

  /** As any client does: again, until it is served. */
  async function comeBack(person: Person, messages = 1) {
    for (let attempts = 1; ; attempts += 1) {
      const stream = person.followLean()
      try {
        await stream.receives(messages)
        return { stream, attempts }
      } catch {
        await stream.stop()
      }
    }
  }
})

it('a command prints the secret by which a backend verifies what it is asked before a send', async () => {
  const settings = { AUTH_JWT_SECRET: testSecret, PRE_SEND_URL: 'http://localhost/' }
  const env = { PATH: process.env.PATH, ...settings }
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'pre-send-secret'], { env })
  const [secret = new Uint8Array()] = preSendSecrets(await completeConfig(readConfig(settings)))
  expect(stdout).toBe(`${secretText(secret)}\n`)
})

it('a command prints what keeps cursors good when the auth secret they were derived from is replaced', async () => {
  const cursorSecret = async (settings: Record<string, string>) => {
    const env = { PATH: process.env.PATH, ...settings }
    return (await promisify(execFile)(process.execPath, [script, 'cursor-secret'], { env })).stdout.trim()
  }
  const pinned = await cursorSecret({ AUTH_JWT_SECRET: testSecret })
  expect(pinned).toMatch(/^base64:[A-Za-z0-9+/]{43}=$/)
  expect(await cursorSecret({ AUTH_JWT_SECRET: `${'x'.repeat(32)}`, CURSOR_SECRET: pinned })).toBe(pinned)
})

const production = (settings: Record<string, string>) => ({
  NODE_ENV: 'production',
  REDIS_URL: redis.url,
  DYNAMODB_ENDPOINT: dynalite,
  AUTH_JWT_SECRET: testSecret,
  ...settings,
})
