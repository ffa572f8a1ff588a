import { z } from 'zod'
import type { Config } from './config.ts'
import { deriveCursorSecret } from './derived-secrets.ts'
import { bytes, flag, httpUrl, listOf } from './variable-rules.ts'

const secretMinBytes = 32

export const authVariables = z.object({
  DEVELOPMENT: flag.default(false),
  AUTH_JWT_SECRET: z
    .string()
    .transform(bytes)
    .refine((secret) => secret.length >= secretMinBytes, { error: `must have at least ${secretMinBytes} bytes` })
    .optional(),
  AUTH_JWKS_URL: httpUrl.optional(),
  AUTH_ISSUER: z.string().optional(),
  AUTH_AUDIENCE: z.string().optional(),
  AUTH_USER_CLAIM: z.string().optional(),
  CURSOR_SECRET: z.string().transform(bytes).optional(),
  ALLOWED_ORIGINS: z
    .string()
    .transform((text) => listOf(text).map((origin) => origin.replace(/\/$/, '').toLowerCase()))
    .refine((origins) => origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin), {
      error: 'must be a comma-separated list of origins such as https://chat.example.com',
    })
    .default([]),
})

type Read = z.output<typeof authVariables>

export const authSettings = (read: Read): Pick<Config, 'auth' | 'cursorSecret' | 'allowedOrigins'> => ({
  auth: authOf(read),
  cursorSecret: read.CURSOR_SECRET ?? (read.AUTH_JWT_SECRET && deriveCursorSecret(read.AUTH_JWT_SECRET)),
  allowedOrigins: read.ALLOWED_ORIGINS,
})

function authOf(read: Read): Config['auth'] {
  if (read.AUTH_JWT_SECRET === undefined && read.AUTH_JWKS_URL === undefined) return 'development'
  return {
    ...(read.AUTH_JWT_SECRET && { secret: read.AUTH_JWT_SECRET }),
    ...(read.AUTH_JWKS_URL && { jwksUrl: read.AUTH_JWKS_URL }),
    ...(read.AUTH_ISSUER && { issuer: read.AUTH_ISSUER }),
    ...(read.AUTH_AUDIENCE && { audience: read.AUTH_AUDIENCE }),
    ...(read.AUTH_USER_CLAIM && { userClaim: read.AUTH_USER_CLAIM }),
  }
}
