import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { FcmSettings, PushSettings } from './config.ts'
import { flag, hasProtocol } from './variable-rules.ts'

const base64url = (bytes: number) =>
  z.string().refine((text) => /^[A-Za-z0-9_-]+$/.test(text) && Buffer.from(text, 'base64url').length === bytes, {
    error: `must be ${bytes} bytes in base64url, as web-push generate-vapid-keys prints them`,
  })

export const pushVariables = z.object({
  PUSH_PREVIEW: flag.default(true),
  VAPID_PUBLIC_KEY: base64url(65).optional(),
  VAPID_PRIVATE_KEY: base64url(32).optional(),
  VAPID_SUBJECT: z
    .string()
    .refine((subject) => hasProtocol(subject, 'https:', 'mailto:'), { error: 'must be mailto:… or https://…' })
    .optional(),
  FCM_SERVICE_ACCOUNT: z
    .string()
    .transform(parseAccount)
    .refine((account) => account !== undefined, {
      error: 'must be the JSON of a service account, or the path of a file that holds it',
    })
    .optional(),
  APNS_KEY: z
    .string()
    .transform(readKey)
    .refine((key) => key?.includes('PRIVATE KEY-----'), {
      error: 'must be a key in PEM (the .p8 of Apple), or the path of a file that holds it',
    })
    .optional(),
  APNS_KEY_ID: z.string().optional(),
  APNS_TEAM_ID: z.string().optional(),
  APNS_TOPIC: z.string().optional(),
  APNS_SANDBOX: flag.default(false),
})

export function pushSettings(read: z.output<typeof pushVariables>, guarded: boolean): PushSettings {
  const { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey, VAPID_SUBJECT: subject } = read
  const { APNS_KEY: key, APNS_KEY_ID: keyId, APNS_TEAM_ID: teamId, APNS_TOPIC: topic, APNS_SANDBOX: sandbox } = read
  const vapid = publicKey && privateKey && subject ? { publicKey, privateKey, subject } : undefined
  return {
    preview: read.PUSH_PREVIEW,
    log: !guarded,
    ...(!guarded && { privateEndpoints: true }),
    ...((vapid || !guarded) && { vapid: vapid ?? 'derived' }),
    ...(read.FCM_SERVICE_ACCOUNT && { fcm: read.FCM_SERVICE_ACCOUNT }),
    ...(key && keyId && teamId && topic && { apns: { key, keyId, teamId, topic, sandbox } }),
  }
}

/** A key is too long for many ways to set a variable, so the variable may also be the path of a file that holds it. */
function readKey(given: string): string | undefined {
  if (given.trim().startsWith('-----BEGIN')) return given.replaceAll('\\n', '\n')
  try {
    return readFileSync(given, 'utf8')
  } catch {
    return undefined
  }
}

function parseAccount(given: string): FcmSettings | undefined {
  try {
    const text = given.trim().startsWith('{') ? given : readFileSync(given, 'utf8')
    const { data } = accountRule.safeParse(JSON.parse(text))
    if (!data) return undefined
    const { project_id, client_email, private_key, token_uri } = data
    return { projectId: project_id, clientEmail: client_email, privateKey: private_key, tokenUri: token_uri }
  } catch {
    return undefined
  }
}

const accountRule = z.object({
  project_id: z.string(),
  client_email: z.string(),
  private_key: z.string(),
  token_uri: z.string().refine((uri) => hasProtocol(uri, 'http:', 'https:')),
})
