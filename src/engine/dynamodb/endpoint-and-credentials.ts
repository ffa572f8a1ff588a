import { env } from 'node:process'
import type { Credentials } from './wire.ts'

// Finds where DynamoDB is and which credentials we have there.

export type ExpiringCredentials = Credentials & { expiration?: Date }
export type GetCredentials = () => Credentials | Promise<Credentials>

/** The SDK renews credentials this early too. */
const renewEarlyMs = 5 * 60_000

/** Asks the provider once, and again before the credentials expire: in the background while those it holds are still good. */
export function createCredentialsCache(provide: () => Promise<ExpiringCredentials>, now: () => number): GetCredentials {
  let cached: ExpiringCredentials | undefined
  let renewal: Promise<ExpiringCredentials> | undefined

  const isGoodFor = (ms: number): boolean =>
    cached !== undefined && (cached.expiration === undefined || cached.expiration.getTime() - now() > ms)

  const renew = (): Promise<ExpiringCredentials> => {
    renewal ??= provide()
      .then((fresh) => {
        cached = fresh
        return fresh
      })
      .finally(() => {
        renewal = undefined
      })
    return renewal
  }

  return () => {
    if (cached && isGoodFor(renewEarlyMs)) return cached
    const renewed = renew()
    if (!cached || !isGoodFor(0)) return renewed
    renewed.catch(() => undefined)
    return cached
  }
}

/** Returns what the SDK would use: its endpoint for a region, and credentials from the environment, files, containers or instances. */
export async function findEndpointAndCredentials(
  region: string,
): Promise<{ endpoint: string; credentials: () => Promise<ExpiringCredentials> }> {
  env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'
  const { DynamoDBClient, ListTablesCommand } = await import('@aws-sdk/client-dynamodb')
  const client = new DynamoDBClient({ region })
  let endpoint = ''
  // This request is addressed and goes no further: only in a request do all the settings of endpoints come together.
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
