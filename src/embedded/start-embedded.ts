import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { BackendsReport, BackendsRequest } from './embedded-backend.ts'

export type EmbeddedOptions = {
  dataDir: string
  redis: boolean
  dynamodb: boolean
  /** Called when the backends have ended without being asked to. */
  onLost?: (reason: string) => void
}

export type Embedded = {
  redisUrl?: string
  dynamodbEndpoint?: string
  /** Says in a few words what they are. */
  describe: { redis: string; dynamodb: string }
  stop(): Promise<void>
}

const stopWithinMs = 5000

/** Starts the backends of a server that has none of its own, in a process that ends with this one. */
export async function startEmbedded({ dataDir, redis, dynamodb, onLost }: EmbeddedOptions): Promise<Embedded> {
  if (!redis && !dynamodb) return { describe: { redis: external, dynamodb: external }, stop: async () => undefined }
  const request: BackendsRequest = { redis, ...(dynamodb && { dynamodbPath: resolve(join(dataDir, 'dynamodb')) }) }
  const child = forkBackends(request)
  const ended = once(child, 'exit')
  const report = await firstReport(child)
  if ('failed' in report) {
    await ended
    throw new Error(report.failed)
  }
  const lost = () => onLost?.('The process that runs the embedded backends has ended.')
  child.once('exit', lost)
  return {
    ...(report.redis && { redisUrl: report.redis.url }),
    ...(report.dynamodb && { dynamodbEndpoint: report.dynamodb.url }),
    describe: {
      redis: report.redis?.description ?? external,
      dynamodb: report.dynamodb?.description ?? external,
    },
    async stop() {
      child.off('exit', lost)
      if (child.connected) child.send('stop')
      const tooLate = setTimeout(() => child.kill('SIGKILL'), stopWithinMs)
      await ended
      clearTimeout(tooLate)
    },
  }
}

const external = 'as configured'

/** The script stands beside this file, compiled or not. */
function forkBackends(request: BackendsRequest): ChildProcess {
  const source = import.meta.url.endsWith('.ts')
  const script = fileURLToPath(new URL(source ? './backends-process.ts' : './backends-process.js', import.meta.url))
  const loader = () => pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  return fork(script, [JSON.stringify(request)], { execArgv: source ? ['--import', loader()] : [] })
}

async function firstReport(child: ChildProcess): Promise<BackendsReport> {
  const given = new AbortController()
  const { signal } = given
  const reported = once(child, 'message', { signal }).then(([report]) => report as BackendsReport)
  const exited = once(child, 'exit', { signal }).then(() => ({ failed: 'The embedded backends did not start.' }))
  try {
    return await Promise.race([reported, exited])
  } finally {
    given.abort()
  }
}
