// Where webhooks may lead.

import { z } from 'zod'
import type { Config } from './config.ts'

const addresses = ['public', 'loopback', 'any'] as const

export const webhookVariables = z.object({
  WEBHOOK_ADDRESSES: z.enum(addresses, { error: `must be one of ${addresses.join(', ')}` }).optional(),
})

/** `guarded`: the node has an auth setting. In development mode endpoints are on the same machine. */
export const webhookSettings = (
  read: z.output<typeof webhookVariables>,
  guarded: boolean,
): Pick<Config, 'webhookAddresses'> => ({
  webhookAddresses: read.WEBHOOK_ADDRESSES ?? (guarded ? 'public' : 'loopback'),
})
