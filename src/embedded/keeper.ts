// A process beside the server that runs its embedded backends: in the server's own process they would cost its event loop.
// It lives as long as the server does, however that ends. A signal from the terminal reaches both; only the server heeds it,
// since it still needs its backends to drain.

import { keepDynamoDb } from './keep-dynamodb.ts'
import { keepRedis } from './keep-redis.ts'
import type { KeeperOrder, KeeperReport, Kept } from './kept.ts'

const endWithinMs = 4000
const kept: Kept[] = []
let ending = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.once('disconnect', () => end(0))
process.once('message', () => end(0))
process.on('uncaughtException', survive)
keep(JSON.parse(process.argv[2] ?? '{}') as KeeperOrder).catch((error) => {
  report({ failed: error instanceof Error ? error.message : String(error) })
  end(1)
})

async function keep({ redis, dynamodbPath }: KeeperOrder): Promise<void> {
  const started: KeeperReport = {}
  if (redis) started.redis = add(await keepRedis(giveUp))
  if (dynamodbPath !== undefined) started.dynamodb = add(await keepDynamoDb(dynamodbPath))
  report(started)
}

function add(each: Kept): Omit<Kept, 'stop'> {
  kept.push(each)
  return { url: each.url, description: each.description }
}

function report(message: KeeperReport): void {
  if (process.connected) process.send?.(message)
}

function giveUp(reason: string): void {
  console.error(`The embedded backends end: ${reason}.`)
  end(1)
}

/** dynalite throws into the void when a client hangs up in the middle of a request. */
function survive(error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET' || error.code === 'LEVEL_DATABASE_NOT_OPEN') return
  giveUp(error.stack ?? error.message)
}

function end(code: number): void {
  if (ending) return
  ending = true
  setTimeout(() => process.exit(1), endWithinMs)
  Promise.all(kept.map(({ stop }) => stop())).then(
    () => process.exit(code),
    () => process.exit(1),
  )
}
