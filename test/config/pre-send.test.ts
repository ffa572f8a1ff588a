import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { completeConfig } from '../../src/config/dev-secrets.ts'
import { preSendSecrets } from '../../src/config/pre-send.ts'
import { secretText } from '../../src/shared/standard-webhooks.ts'
import { problemsOf, production, secret } from './environments.ts'

const PRE_SEND_URL = 'https://backend.example/parley'
const whsec = (fill: number, bytes = 24) => secretText(new Uint8Array(bytes).fill(fill))

const secretsOf = async (settings: Record<string, string>): Promise<string[]> =>
  preSendSecrets(await completeConfig(readConfig({ ...production, ...settings }))).map(secretText)

test('nobody is asked until a URL is set; then what is not decided is refused', () => {
  expect(readConfig(production)).not.toHaveProperty('preSend')
  expect(readConfig({ ...production, PRE_SEND_URL }).preSend).toEqual({
    url: PRE_SEND_URL,
    failure: 'deny',
    secrets: 'derived',
  })
  expect(readConfig({ ...production, PRE_SEND_URL, PRE_SEND_FAILURE: 'allow' }).preSend?.failure).toBe('allow')
})

test('the secrets are those that were set, or one that follows from the secret of the deployment', async () => {
  const both = `${whsec(1)}, ${whsec(2, 64)}`
  expect(await secretsOf({ PRE_SEND_URL, PRE_SEND_SECRET: both })).toEqual([whsec(1), whsec(2, 64)])
  const [derived] = await secretsOf({ PRE_SEND_URL })
  expect(derived).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(await secretsOf({ PRE_SEND_URL })).toEqual([derived])
  const [other] = await secretsOf({ PRE_SEND_URL, AUTH_JWT_SECRET: `${secret}!` })
  expect(other).not.toBe(derived)
  // While the secret of the deployment is rotated, the backend may know either.
  expect(await secretsOf({ PRE_SEND_URL, AUTH_JWT_SECRET: `${secret}!,${secret}` })).toEqual([other, derived])
})

test('what cannot be used is a problem, and so are settings about a backend that is not named', () => {
  expect(problemsOf({ PRE_SEND_URL: 'ftp://x', PRE_SEND_FAILURE: 'maybe', PRE_SEND_SECRET: 'secret' })).toEqual([
    'PRE_SEND_URL must be http://… or https://…',
    'PRE_SEND_FAILURE must be allow or deny',
    'PRE_SEND_SECRET must be whsec_ and 24 to 64 bytes in base64, or a comma-separated list of such',
  ])
  for (const wrong of [whsec(1, 23), whsec(1, 65), `${whsec(1)},x`, whsec(1).replace('whsec_', '')])
    expect(problemsOf({ PRE_SEND_URL, PRE_SEND_SECRET: wrong })).toHaveLength(1)
  expect(problemsOf({ PRE_SEND_SECRET: whsec(1) })).toEqual([
    'PRE_SEND_URL is missing: PRE_SEND_FAILURE and PRE_SEND_SECRET are about the backend that it names',
  ])
})
