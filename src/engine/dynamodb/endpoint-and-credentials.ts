import { env } from 'node:process'
import type { Credentials } from './wire.ts'

// Where DynamoDB is, and who we are there.

export type Expiring = Credentials & { expiration?: Date }
export type Identity = () => Credentials | Promise<Credentials>

/** As the SDK has it, which also says how early. */
const renewEarlyMs = 5 * 60_000

/** Asks once, and again in time: in the background while what is held is still good. */
export function createIdentity(provide: () => Promise<Expiring>, now: () => number): Identity {
  let held: Expiring | undefined
  let asking: Promise<Expiring> | undefined

  const isGoodFor = (ms: number): boolean =>
    held !== undefined && (held.expiration === undefined || held.expiration.getTime() - now() > ms)

  const ask = (): Promise<Expiring> => {
    asking ??= provide()
      .then((fresh) => {
        held = fresh
        return fresh
      })
      .finally(() => {
        asking = undefined
      })
    return asking
  }

  return () => {
    if (held && isGoodFor(renewEarlyMs)) return held
    const asked = ask()
    if (!held || !isGoodFor(0)) return asked
    asked.catch(() => undefined)
    return held
  }
}

/** What the SDK would take: its endpoint for a region, and credentials from the environment, files, containers or instances. */
export async function findAws(region: string): Promise<{ endpoint: string; credentials: () => Promise<Expiring> }> {
  env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'
  const { DynamoDBClient, ListTablesCommand } = await import('@aws-sdk/client-dynamodb')
  const client = new DynamoDBClient({ region })
  let endpoint = ''
  // A request that is addressed, and goes no further: only there do all the settings of endpoints come together.
  client.middlewareStack.add(
    () =>
      async ({ request }) => {
        const { protocol, hostname, port, path } = request as Address
        endpoint = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`
        return { response: undefined, output: { $metadata: {} } }
      },
    { step: 'build' },
  )
  await client.send(new ListTablesCommand({}))
  return { endpoint, credentials: client.config.credentials }
}

type Address = { protocol: string; hostname: string; port?: number; path: string }
