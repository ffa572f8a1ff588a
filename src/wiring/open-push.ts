import { deriveVapid } from '../config/derived-secrets.ts'
import type { CompleteConfig } from '../config/dev-secrets.ts'
import type { Clock } from '../ports/clock.ts'
import type { Push } from '../ports/push.ts'
import { createProviders, type ProviderSettings } from '../push/providers.ts'
import type { SoftBackend } from './backends.ts'

/** A test may play the push services. */
export type PushServices = Pick<ProviderSettings, 'endpoints' | 'timeoutMs'>

/** Makes the queue and the providers that push to absent users; undefined if no provider is configured. */
export function openPush(
  config: CompleteConfig,
  { pushQueue, banners }: SoftBackend,
  clock: Clock,
  services: PushServices,
): Push | undefined {
  const { vapid: given, fcm, apns, log } = config.push
  const vapid = given === 'derived' ? deriveVapid(config.cursorSecrets[0]) : given
  const providers = createProviders({
    ...services,
    ...(vapid && { vapid }),
    ...(fcm && { fcm }),
    ...(apns && { apns }),
    ...(log && { print: console.log }),
    now: clock.now,
    publicOnly: config.push.privateEndpoints !== true,
  })
  if (Object.keys(providers).length === 0) return undefined
  return { queue: pushQueue, banners, providers, ...(vapid && { publicKey: vapid.publicKey }) }
}
