import { env } from 'node:process'
import type { Credentials } from './dynamo-wire.ts'

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

/** The service in a region, and the credentials of the SDK's usual chain: the environment, files, containers, instances. */
export async function findAws(region: string): Promise<{ endpoint: string; credentials: () => Promise<Expiring> }> {
  env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb')
  const { config } = new DynamoDBClient({ region })
  const { useFipsEndpoint: isFips, useDualstackEndpoint: isDualStack } = config
  const { url } = config.endpointProvider({
    Region: region,
    UseFIPS: await isFips(),
    UseDualStack: await isDualStack(),
  })
  return { endpoint: url.href, credentials: config.credentials }
}
