import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/kit/free-port.ts'
import { buildServer } from '../../test/kit/nodes/build-server.ts'
import { testSecret } from '../../test/kit/person.ts'
import { startDynalite } from '../../test/kit/services/dynamodb.ts'
import { startRedis } from '../../test/kit/services/redis.ts'

type StartedServer = { url: string; stop(): Promise<void> }

/**
 * One node in development mode, where push services may be on this machine: compiled, a process of its own, on a Redis and a DynamoDB
 * server of its own.
 */
export async function startServer(settings: Readonly<Record<string, string>> = {}): Promise<StartedServer> {
  const [redis, dynamodb, built] = await Promise.all([startRedis(), startDynalite(), buildServer()])
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  // The secret that a node in development mode keeps with its data.
  await writeFile(join(dataDir, 'secret'), Buffer.from(testSecret).toString('hex'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const environment = {
    PATH: process.env.PATH ?? '',
    PORT: String(port),
    REDIS_URL: redis.url,
    DYNAMODB_ENDPOINT: dynamodb.endpoint,
    CREATE_TABLES: 'true',
    DATA_DIR: dataDir,
    ...settings,
  }
  const child = spawn(process.execPath, [built.script], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] })
  await listening(url, child)
  return {
    url,
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      await Promise.all([redis.stop(), dynamodb.stop(), built.remove(), rm(dataDir, { recursive: true, force: true })])
    },
  }
}

async function listening(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answered = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (answered) return
    await sleep(50)
  }
  throw new Error(`The server ended with ${child.exitCode}.`)
}
