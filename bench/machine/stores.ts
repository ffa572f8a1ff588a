import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../../test/kit/free-port.ts'
import type { Built, DynamoScript } from './build.ts'
import { answerOf, startChild } from './child.ts'
import type { Calls } from './count-calls.ts'
import { guarded } from './guarded.ts'
import { pin, pinned, storesCore, unpin } from './pinning.ts'
import { usageOf } from './usage.ts'

/** A Redis and a DynamoDB server. All who are measured may share them: only one of those is at work at a time. */
export type Stores = Awaited<ReturnType<typeof startStores>>

export async function startStores(built: Built, dynamoScript: DynamoScript) {
  const dir = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const redisPort = await freePort()
  const settings = ['--port', String(redisPort), '--dir', dir, '--save', '', '--appendonly', 'no']
  const [command, args] = pinned(storesCore, 'sh', guarded('redis-server', settings))
  const redis = spawn(command, args, { stdio: ['pipe', 'ignore', 'inherit'] })
  const redisUrl = `redis://127.0.0.1:${redisPort}`
  const commands = new Redis(redisUrl, { retryStrategy: () => 20, maxRetriesPerRequest: null })
  commands.on('error', () => undefined)
  await commands.ping()
  const dynamodb = await startChild({
    script: built.script(dynamoScript),
    probe: built.probe,
    core: storesCore,
    environment: { DATA_DIR: dir },
  })

  /** Returns what DynamoDB was asked since the last time. */
  function calls(): Promise<Calls> {
    const told = answerOf<{ calls?: Calls }>(dynamodb.process, ({ calls }) => calls !== undefined)
    dynamodb.process.send({ count: true })
    return told.then(({ calls = {} }) => calls)
  }

  return {
    redisUrl,
    redis: commands,
    endpoint: `http://127.0.0.1:${dynamodb.port}`,
    calls,
    async cpuMs() {
      const [{ cpuMs }, asked] = await Promise.all([usageOf(redis.pid ?? 0), dynamodb.usage()])
      return { redis: cpuMs, dynamodb: asked.cpuMs }
    },
    /** Does work that is not measured, for which DynamoDB may have the server's core too. */
    async unmeasured<Result>(work: () => Promise<Result>): Promise<Result> {
      await unpin(dynamodb.pid)
      const result = await work()
      await pin(dynamodb.pid, storesCore)
      return result
    },
    async stop() {
      commands.disconnect()
      redis.kill('SIGKILL')
      await Promise.all([once(redis, 'exit'), dynamodb.stop()])
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Stands in for the stores of a server that keeps everything itself. */
export const nothingBeside: Pick<Stores, 'cpuMs' | 'calls' | 'unmeasured'> = {
  cpuMs: async () => ({ redis: 0, dynamodb: 0 }),
  calls: async () => ({}),
  unmeasured: (work) => work(),
}
