import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { deriveVapid } from '../../src/config/derived-secrets.ts'
import { problemsOf, production, secret } from './environments.ts'

const vapid = {
  VAPID_PUBLIC_KEY: Buffer.alloc(65, 4).toString('base64url'),
  VAPID_PRIVATE_KEY: Buffer.alloc(32, 1).toString('base64url'),
  VAPID_SUBJECT: 'mailto:push@chat.example',
}
const apns = { APNS_KEY_ID: 'K', APNS_TEAM_ID: 'T', APNS_TOPIC: 'app' }
const account = { project_id: 'p', client_email: 'e', private_key: 'k', token_uri: 'https://oauth2.example/token' }
const key = '-----BEGIN PRIVATE KEY-----\\nabc\\n-----END PRIVATE KEY-----'

test.each([production, { AUTH_JWT_SECRET: secret }])(
  'a node with an auth setting pushes nowhere until it is told how, and prints nothing: row %#',
  (environment) => {
    expect(readConfig(environment).push).toEqual({ preview: true, log: false })
  },
)

test('each platform has its settings', () => {
  const settings = {
    ...vapid,
    ...apns,
    APNS_KEY: key,
    APNS_SANDBOX: 'true',
    FCM_SERVICE_ACCOUNT: JSON.stringify(account),
  }
  expect(readConfig({ ...production, ...settings, PUSH_PREVIEW: 'false' }).push).toEqual({
    preview: false,
    log: false,
    vapid: {
      publicKey: vapid.VAPID_PUBLIC_KEY,
      privateKey: vapid.VAPID_PRIVATE_KEY,
      subject: 'mailto:push@chat.example',
    },
    fcm: { projectId: 'p', clientEmail: 'e', privateKey: 'k', tokenUri: 'https://oauth2.example/token' },
    apns: { key: key.replaceAll('\\n', '\n'), keyId: 'K', teamId: 'T', topic: 'app', sandbox: true },
  })
})

test('keys may be in files', async () => {
  const path = await mkdtemp(join(tmpdir(), 'parley-config-'))
  onTestFinished(() => rm(path, { recursive: true }))
  await writeFile(join(path, 'account.json'), JSON.stringify(account))
  await writeFile(join(path, 'key.p8'), '-----BEGIN PRIVATE KEY-----')
  const settings = { ...apns, APNS_KEY: join(path, 'key.p8'), FCM_SERVICE_ACCOUNT: join(path, 'account.json') }
  expect(readConfig(settings).push).toMatchObject({
    fcm: { projectId: 'p' },
    apns: { key: '-----BEGIN PRIVATE KEY-----', sandbox: false },
  })
})

test('half of what is needed is a problem, and so is what cannot be used', () => {
  expect(problemsOf({ VAPID_SUBJECT: 'me', FCM_SERVICE_ACCOUNT: '{}', APNS_KEY: '/nowhere', ...apns })).toEqual([
    'VAPID_SUBJECT must be mailto:… or https://…',
    'FCM_SERVICE_ACCOUNT must be the JSON of a service account, or the path of a file that holds it',
    'APNS_KEY must be a key in PEM (the .p8 of Apple), or the path of a file that holds it',
    'VAPID_PUBLIC_KEY is missing: it is needed with VAPID_PRIVATE_KEY, VAPID_SUBJECT',
    'VAPID_PRIVATE_KEY is missing: it is needed with VAPID_PUBLIC_KEY, VAPID_SUBJECT',
  ])
  expect(problemsOf({ ...vapid, VAPID_PRIVATE_KEY: 'short' })).toEqual([
    'VAPID_PRIVATE_KEY must be 32 bytes in base64url, as web-push generate-vapid-keys prints them',
  ])
})

test('the pair of a desk is the same for the same secret', () => {
  const pair = deriveVapid(new Uint8Array(32))
  expect(deriveVapid(new Uint8Array(32))).toEqual(pair)
  expect(deriveVapid(new Uint8Array(32).fill(1)).publicKey).not.toBe(pair.publicKey)
  expect(Buffer.from(pair.publicKey, 'base64url')).toHaveLength(65)
})
