// Who is asked before a message is stored, and with which secrets the questions are signed.

import { z } from 'zod'
import type { Config } from './config.ts'
import { derivePreSendSecret } from './derived-secrets.ts'
import type { CompleteConfig } from './dev-secrets.ts'
import { httpUrl, listOf } from './variable-rules.ts'

const prefix = 'whsec_'
/** As Standard Webhooks asks for. */
const [secretMinBytes, secretMaxBytes] = [24, 64]

export const preSendVariables = z.object({
  PRE_SEND_URL: httpUrl.optional(),
  PRE_SEND_FAILURE: z.enum(['allow', 'deny'], { error: 'must be allow or deny' }).default('deny'),
  PRE_SEND_SECRET: z
    .string()
    .transform((text) => listOf(text))
    .refine((secrets) => secrets.length > 0 && secrets.every(isSecret), {
      error: `must be ${prefix} and ${secretMinBytes} to ${secretMaxBytes} bytes in base64, or a comma-separated list of such`,
    })
    .transform((secrets) => secrets.map(bytesOf))
    .optional(),
})

export function preSendSettings(read: z.output<typeof preSendVariables>): Pick<Config, 'preSend'> {
  const { PRE_SEND_URL: url, PRE_SEND_FAILURE: failure, PRE_SEND_SECRET: secrets = 'derived' } = read
  return url === undefined ? {} : { preSend: { url, failure, secrets } }
}

/** Without a secret of its own, every deployment has one that nobody has to set. */
export const preSendSecrets = ({ preSend, cursorSecrets }: CompleteConfig): readonly Uint8Array[] =>
  preSend === undefined || preSend.secrets === 'derived' ? cursorSecrets.map(derivePreSendSecret) : preSend.secrets

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.slice(prefix.length), 'base64'))

function isSecret(text: string): boolean {
  const { length } = bytesOf(text)
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && length >= secretMinBytes && length <= secretMaxBytes
}
