import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { problemsOf, production, secret } from './environments.ts'

test.each([
  ['production', production],
  ['a node with a secret, whatever NODE_ENV says,', { AUTH_JWT_SECRET: secret }],
  ['a node with keys of an identity provider', { AUTH_JWKS_URL: 'https://id/keys', CURSOR_SECRET: 'shared' }],
])('%s bounds what a user can take', (_name, environment) => {
  expect(readConfig(environment).traffic).toEqual({
    rate: { perSecond: 500, burst: 5000 },
    connectionLimits: {
      perUser: 1000,
      subscriptionsPerUser: 5000,
      perAddress: 1000,
      uninitialised: 20_000,
      uninitialisedPerAddress: 100,
    },
    sparesLoopback: { rate: true, perUser: true, subscriptions: true },
    badTokensPerMinute: 600,
    uploads: { perHour: 1000, bytesPerHour: 5000 * 2 ** 20 },
    trustedProxies: 0,
  })
})

test('what is set counts everywhere, and 0 is no limit', () => {
  const set = { RATE_LIMIT_PER_SECOND: '7', SOCKETS_PER_USER: '8', SOCKETS_PER_ADDRESS: '9', TRUSTED_PROXIES: '2' }
  expect(readConfig(set).traffic).toMatchObject({
    rate: { perSecond: 7, burst: 70 },
    connectionLimits: { perUser: 8, perAddress: 9 },
    sparesLoopback: { rate: false, perUser: false },
    trustedProxies: 2,
  })
  const quotas = {
    GROUPS_PER_HOUR: '0',
    GROUP_ADDITIONS_PER_HOUR: '9',
    GROUP_CHANGES_PER_HOUR: '10',
    CHATS_PER_HOUR: '11',
  }
  expect(readConfig(quotas).groupQuotas).toEqual({
    groupsPerHour: 0,
    additionsPerHour: 9,
    changesPerHour: 10,
    chatsPerHour: 11,
  })
  expect(readConfig({ ...set, RATE_LIMIT_BURST: '5' }).traffic.rate).toEqual({ perSecond: 7, burst: 5 })
  const off = { RATE_LIMIT_PER_SECOND: '0', SOCKETS_PER_USER: '0', SOCKETS_PER_ADDRESS: '0' }
  expect(readConfig({ ...production, ...off }).traffic).toMatchObject({
    rate: undefined,
    connectionLimits: { perUser: 0, perAddress: 0 },
  })
})

test('so it is with what users may open and upload, and with bad tokens', () => {
  const set = {
    SUBSCRIPTIONS_PER_USER: '10',
    BAD_TOKENS_PER_MINUTE: '11',
    UPLOADS_PER_HOUR: '12',
    UPLOAD_MEGABYTES_PER_HOUR: '13',
  }
  expect(readConfig(set).traffic).toMatchObject({
    connectionLimits: { subscriptionsPerUser: 10 },
    sparesLoopback: { subscriptions: false },
    badTokensPerMinute: 11,
    uploads: { perHour: 12, bytesPerHour: 13 * 2 ** 20 },
  })
  const off = Object.fromEntries(Object.keys(set).map((name) => [name, '0']))
  expect(readConfig({ ...production, ...off }).traffic).toMatchObject({
    connectionLimits: { subscriptionsPerUser: 0 },
    badTokensPerMinute: 0,
    uploads: { perHour: 0, bytesPerHour: 0 },
  })
})

test.each(['-1', '1.5', 'many', '11'])('TRUSTED_PROXIES=%s is refused', (TRUSTED_PROXIES) => {
  expect(problemsOf({ TRUSTED_PROXIES })).toEqual(['TRUSTED_PROXIES must be 0 to 10'])
})
