import { createApp } from './app.ts'
import { ConfigError, readConfig } from './config.ts'

const drainWithinMs = 9500

try {
  const config = readConfig()
  const app = createApp(config)
  const started = await app.start()
  for (const line of greeting(started)) console.log(line)

  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    // Whoever sent the signal waits ten seconds at most.
    setTimeout(() => process.exit(1), drainWithinMs).unref()
    await app.stop()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}

/** What went wrong at the start, for whoever has to put it right: the error and what caused it, without the stacks. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || !(error instanceof Error)) return String((error as Error).message ?? error)
  const { code, port } = error as { code?: string; port?: number }
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Set PORT to another one.`
  const causes: string[] = []
  for (let each: unknown = error; each instanceof Error; each = each.cause) causes.push(each.message || each.name)
  const atFault = code === 'UNAVAILABLE' ? 'DynamoDB does not answer' : 'Parley cannot start'
  return `${atFault}: ${(code === 'UNAVAILABLE' ? causes.slice(1) : causes).join(': ')}`
}

type Started = Awaited<ReturnType<ReturnType<typeof createApp>['start']>>

/** What somebody at a terminal wants to know; nothing in production, where logs are read by machines. */
function greeting({ url, config, describe }: Started): string[] {
  if (config.production) return []
  const lines = [
    `Parley is running at ${url}`,
    `  GraphiQL   ${url}/graphql`,
    ...(config.development ? [`  Demo page  ${url}/`] : []),
    `  Redis      ${describe.redis}`,
    `  DynamoDB   ${describe.dynamodb}`,
  ]
  if (!config.development) return lines
  return [
    ...lines,
    '',
    'Send the first message, as alice to bob:',
    '',
    `  TOKEN=$(curl -s ${url}/dev/token -H 'content-type: application/json' -d '{"userId":"alice"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s ${url}/messages -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\`,
    `    -d '{"clientMessageId":"first-1","to":{"userId":"bob"},"body":"Hello, Bob"}'`,
    '',
  ]
}
