import { z } from 'zod'
import type { Config } from './config.ts'
import { deriveCursorSecret } from './derived-secrets.ts'
import { anySecrets, mapSecrets, textSecrets } from './secret-lists.ts'
import { count, flag, httpUrl, listOf } from './variable-rules.ts'

const secretMinBytes = 32
/** The clocks of a provider and of a node in step with NTP differ by less. */
const clockToleranceSeconds = 5
const clockToleranceMaxSeconds = 60

export const authVariables = z.object({
  DEVELOPMENT: flag.default(false),
  AUTH_JWT_SECRET: textSecrets(secretMinBytes).optional(),
  AUTH_JWKS_URL: httpUrl.optional(),
  AUTH_ISSUER: z.string().optional(),
  AUTH_AUDIENCE: z.string().optional(),
  AUTH_USER_CLAIM: z.string().optional(),
  AUTH_CLOCK_TOLERANCE_SECONDS: count(clockToleranceMaxSeconds),
  CURSOR_SECRET: anySecrets.optional(),
  ALLOWED_ORIGINS: z
    .string()
    .transform((text) => listOf(text).map((origin) => origin.replace(/\/$/, '').toLowerCase()))
    .refine((origins) => origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin), {
      error: 'must be a comma-separated list of origins such as https://chat.example.com',
    })
    .default([]),
})

type Read = z.output<typeof authVariables>

export const authSettings = (
  read: Read,
): Pick<Config, 'auth' | 'cursorSecrets' | 'allowedOrigins' | 'rotationWarning'> => ({
  auth: authOf(read),
  cursorSecrets: read.CURSOR_SECRET ?? (read.AUTH_JWT_SECRET && mapSecrets(read.AUTH_JWT_SECRET, deriveCursorSecret)),
  allowedOrigins: read.ALLOWED_ORIGINS,
  ...(read.CURSOR_SECRET === undefined && (read.AUTH_JWT_SECRET?.length ?? 0) > 1 && { rotationWarning }),
})

/** Tokens end with their secret, and that is meant. Cursors would end with it too, and they are for ever. */
const rotationWarning =
  'CURSOR_SECRET is not set, so cursors are signed with what is derived from AUTH_JWT_SECRET. Before a secret leaves that list, ' +
  'set CURSOR_SECRET to what `node dist/server.js cursor-secret` prints now, or the cursors of that secret are refused.'

function authOf(read: Read): Config['auth'] {
  if (read.AUTH_JWT_SECRET === undefined && read.AUTH_JWKS_URL === undefined) return 'development'
  return {
    ...(read.AUTH_JWT_SECRET && { secrets: read.AUTH_JWT_SECRET }),
    ...(read.AUTH_JWKS_URL && { jwksUrl: read.AUTH_JWKS_URL }),
    ...(read.AUTH_ISSUER && { issuer: read.AUTH_ISSUER }),
    ...(read.AUTH_AUDIENCE && { audience: read.AUTH_AUDIENCE }),
    ...(read.AUTH_USER_CLAIM && { userClaim: read.AUTH_USER_CLAIM }),
    clockToleranceSeconds: read.AUTH_CLOCK_TOLERANCE_SECONDS ?? clockToleranceSeconds,
  }
}
