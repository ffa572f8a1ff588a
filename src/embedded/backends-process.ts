// This process runs beside the server and has its embedded backends: in the server's own process they would block its event loop.
// It lives as long as the server does, even if the server is killed. A signal from the terminal reaches both; only the server obeys
// it, since it still needs its backends to drain.

import type { BackendsReport, BackendsRequest, EmbeddedBackend } from './embedded-backend.ts'
import { startDynamoDb } from './start-dynamodb.ts'
import { startRedis } from './start-redis.ts'

const endWithinMs = 4000
const backends: EmbeddedBackend[] = []
let ending = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.once('disconnect', () => end(0))
process.once('message', () => end(0))
process.on('uncaughtException', survive)
start(JSON.parse(process.argv[2] ?? '{}') as BackendsRequest).catch((error) => {
  report({ failed: error instanceof Error ? error.message : String(error) })
  end(1)
})

async function start({ redis, dynamodbPath }: BackendsRequest): Promise<void> {
  const started: BackendsReport = {}
  if (redis) started.redis = add(await startRedis(giveUp))
  if (dynamodbPath !== undefined) started.dynamodb = add(await startDynamoDb(dynamodbPath))
  report(started)
}

function add(each: EmbeddedBackend): Omit<EmbeddedBackend, 'stop'> {
  backends.push(each)
  return { url: each.url, description: each.description }
}

function report(message: BackendsReport): void {
  if (process.connected) process.send?.(message)
}

function giveUp(reason: string): void {
  console.error(`The embedded backends end: ${reason}.`)
  end(1)
}

/** dynalite throws outside of all our code when a client hangs up in the middle of a request. */
function survive(error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET' || error.code === 'LEVEL_DATABASE_NOT_OPEN') return
  giveUp(error.stack ?? error.message)
}

function end(code: number): void {
  if (ending) return
  ending = true
  setTimeout(() => process.exit(1), endWithinMs)
  Promise.all(backends.map(({ stop }) => stop())).then(
    () => process.exit(code),
    () => process.exit(1),
  )
}
