import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { KeeperOrder, KeeperReport } from './kept.ts'

export type EmbeddedOptions = {
  dataDir: string
  redis: boolean
  dynamodb: boolean
  /** Told when the backends have ended without being asked to. */
  onLost?: (reason: string) => void
}

export type Embedded = {
  redisUrl?: string
  dynamodbEndpoint?: string
  /** In a few words, what they are. */
  describe: { redis: string; dynamodb: string }
  stop(): Promise<void>
}

const stopWithinMs = 5000

/** The backends of a server that has none: in a process of their own, which ends with this one. */
export async function startEmbedded({ dataDir, redis, dynamodb, onLost }: EmbeddedOptions): Promise<Embedded> {
  if (!redis && !dynamodb) return { describe: { redis: external, dynamodb: external }, stop: async () => undefined }
  const order: KeeperOrder = { redis, ...(dynamodb && { dynamodbPath: resolve(join(dataDir, 'dynamodb')) }) }
  const keeper = forkKeeper(order)
  const ended = once(keeper, 'exit')
  const kept = await firstReport(keeper)
  if ('failed' in kept) {
    await ended
    throw new Error(kept.failed)
  }
  const lost = () => onLost?.('The process that runs the embedded backends has ended.')
  keeper.once('exit', lost)
  return {
    ...(kept.redis && { redisUrl: kept.redis.url }),
    ...(kept.dynamodb && { dynamodbEndpoint: kept.dynamodb.url }),
    describe: {
      redis: kept.redis?.description ?? external,
      dynamodb: kept.dynamodb?.description ?? external,
    },
    async stop() {
      keeper.off('exit', lost)
      if (keeper.connected) keeper.send('stop')
      const tooLate = setTimeout(() => keeper.kill('SIGKILL'), stopWithinMs)
      await ended
      clearTimeout(tooLate)
    },
  }
}

const external = 'as configured'

/** The keeper stands beside this file, compiled or not. */
function forkKeeper(order: KeeperOrder): ChildProcess {
  const source = import.meta.url.endsWith('.ts')
  const keeper = fileURLToPath(new URL(source ? './keeper.ts' : './keeper.js', import.meta.url))
  const loader = () => pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  return fork(keeper, [JSON.stringify(order)], { execArgv: source ? ['--import', loader()] : [] })
}

async function firstReport(keeper: ChildProcess): Promise<KeeperReport> {
  const given = new AbortController()
  const { signal } = given
  const reported = once(keeper, 'message', { signal }).then(([report]) => report as KeeperReport)
  const exited = once(keeper, 'exit', { signal }).then(() => ({ failed: 'The embedded backends did not start.' }))
  try {
    return await Promise.race([reported, exited])
  } finally {
    given.abort()
  }
}
