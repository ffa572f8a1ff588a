#!/usr/bin/env node
import type { createApp as CreateApp } from './app.ts'
import { ConfigError, readConfig } from './config/config.ts'
import { type CompleteConfig, completeConfig } from './config/dev-secrets.ts'
import { preSendSecrets } from './config/pre-send.ts'
import { secretsText } from './config/secret-lists.ts'
import { secretText } from './shared/standard-webhooks.ts'

/** Supervisors wait ten seconds, unless they are told otherwise. */
const stopWithinMs = 9500
/** A longer delay before the drain is added: this is what the drain itself takes at most, and a second more. */
const drainWithinMs = 6500

const [command] = process.argv.slice(2)
if (command === 'copy') {
  const { runCopy } = await import('./copy/command.ts')
  process.exit(await runCopy(process.argv.slice(3)))
}
/** What these print, an operator gives to others or sets. */
const secretCommands: Readonly<Record<string, (config: CompleteConfig) => string[]>> = {
  'pre-send-secret': (config) => preSendSecrets(config).map(secretText),
  'cursor-secret': ({ cursorSecrets }) => [secretsText(cursorSecrets)],
}
const printed = command === undefined ? undefined : secretCommands[command]
if (printed) {
  try {
    for (const line of printed(await completeConfig(readConfig()))) console.log(line)
    process.exit(0)
  } catch (error) {
    console.error(explain(error))
    process.exit(1)
  }
}
if (command !== undefined) {
  const isHelp = ['help', '--help', '-h'].includes(command)
  console.error(
    `${isHelp ? '' : `There is no command ${command}. `}Without one, a node is started; parley copy --help is about copies; parley pre-send-secret prints what signs the questions to PRE_SEND_URL; parley cursor-secret prints what CURSOR_SECRET is, or would have to be to stay the same.`,
  )
  process.exit(isHelp ? 0 : 1)
}

try {
  const config = readConfig()
  // It is loaded here, so that a copy need not wait for it.
  const { createApp } = await import('./app.ts')
  let stopping = false
  const stop = async (exitCode: number) => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), Math.max(stopWithinMs, config.drainDelayMs + drainWithinMs)).unref()
    await app.stop()
    process.exit(exitCode)
  }
  const app = createApp(config, {
    onUnusable: () => void stop(1),
    // There is nothing to drain: nothing can be written any more. And LMDB leaves memory damaged when a disk is full.
    onStoreFailed: () => process.exit(1),
  })
  // One request's stray rejection is no reason to drop ten thousand sockets: its own operation has its answer, or a deadline. After an
  // exception that passed through everything, what the process holds cannot be trusted.
  process.on('unhandledRejection', (error) => app.unexpected('unhandled_rejection', error))
  process.on('uncaughtException', (error) => {
    app.unexpected('uncaught_exception', error)
    process.exit(1)
  })
  process.on('SIGUSR2', app.toggleDebugLog)
  const started = await app.start()
  for (const line of greeting(started)) console.log(line)

  process.on('SIGTERM', () => stop(0))
  process.on('SIGINT', () => stop(0))
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}

/** Tells the operator why the start failed: the error and what caused it, without the stacks. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || !(error instanceof Error)) return String((error as Error).message ?? error)
  const { code, port } = error as { code?: string; port?: number }
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Set PORT to another one.`
  const causes: string[] = []
  for (let each: unknown = error; each instanceof Error; each = each.cause) causes.push(each.message || each.name)
  const atFault = code === 'UNAVAILABLE' ? 'DynamoDB does not answer' : 'Parley cannot start'
  return `${atFault}: ${(code === 'UNAVAILABLE' ? causes.slice(1) : causes).join(': ')}`
}

/** Tells how many nodes run, where this one keeps something to itself. */
function otherBackends({ redis, dynamodb }: Started['config']): string[] {
  if (redis !== 'embedded' && dynamodb !== 'embedded') return []
  const here = redis === dynamodb ? 'everything' : dynamodb === 'embedded' ? 'its store' : 'its events'
  return [
    '',
    `This is one process with ${here} in it. To run many nodes on Redis and DynamoDB instead:`,
    '',
    '  REDIS_URL=redis://localhost:6379 DYNAMODB_ENDPOINT=http://localhost:8000 CREATE_TABLES=true npm start',
  ]
}

type Started = Awaited<ReturnType<ReturnType<typeof CreateApp>['start']>>

/** Tells a developer at a terminal where to begin. It says nothing in production, where machines read the logs. */
function greeting({ url, config, describe }: Started): string[] {
  if (config.production) return []
  const lines = [
    `Parley is running at ${url}`,
    ...(config.graphiql ? [`  GraphiQL   ${url}/graphql`] : []),
    ...(config.development ? [`  Demo page  ${url}/`] : []),
    ...(config.adminConsole ? [`  Console    ${url}/admin`] : []),
    `  Store      ${config.dynamodb === 'embedded' ? describe.dynamodb : `DynamoDB, ${describe.dynamodb}`}`,
    `  Events     ${config.redis === 'embedded' ? describe.redis : `Redis, ${describe.redis}`}`,
  ]
  if (!config.development) return lines
  return [
    ...lines,
    ...otherBackends(config),
    ...(config.developmentWarning ? ['', `WARNING: ${config.developmentWarning}`] : []),
    '',
    'Send the first message, as alice to bob:',
    '',
    `  TOKEN=$(curl -s ${url}/dev/token -H 'content-type: application/json' -d '{"userId":"alice"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s ${url}/messages -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\`,
    `    -d '{"clientMessageId":"first-1","to":{"userId":"bob"},"body":"Hello, Bob"}'`,
    '',
  ]
}
