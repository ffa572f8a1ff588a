import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config/config.ts'
import { problemsOf, production, secret } from './environments.ts'

describe('with nothing set', () => {
  test('everything is embedded and development mode is on', () => {
    expect(readConfig({})).toEqual({
      production: false,
      host: '127.0.0.1',
      port: 4000,
      redis: 'embedded',
      dynamodb: 'embedded',
      dynamodbClient: 'lean',
      redisCommands: 'lean',
      redisEvents: 'sharded',
      graphqlExecutor: 'compiled',
      websocketProtocol: 'lean',
      tables: { prefix: 'parley_', create: true },
      claimRows: { form: 'full', ttlDays: 0 },
      redisPrefix: 'parley_',
      media: 'disk',
      push: { preview: true, log: true, privateEndpoints: true, vapid: 'derived' },
      auth: 'development',
      cursorSecrets: undefined,
      allowedOrigins: [],
      graphiql: true,
      introspection: true,
      adminConsole: true,
      traffic: {
        rate: undefined,
        connectionLimits: {
          perUser: 0,
          subscriptionsPerUser: 0,
          perAddress: 0,
          uninitialised: 20_000,
          uninitialisedPerAddress: 0,
        },
        sparesLoopback: { rate: true, perUser: true, subscriptions: true },
        badTokensPerMinute: 0,
        uploads: { perHour: 0, bytesPerHour: 0 },
        trustedProxies: 0,
      },
      groupQuotas: { groupsPerHour: 200, additionsPerHour: 5000, changesPerHour: 1000, chatsPerHour: 1000 },
      events: false,
      webhookAddresses: 'loopback',
      dataDir: '.data',
      release: '0.1.0',
      logLevel: 'warn',
      drainDelayMs: 0,
    })
  })

  test('an empty variable is an unset one', () => {
    expect(readConfig({ PORT: '', REDIS_URL: ' ', AUTH_JWT_SECRET: '', GRAPHIQL: '' })).toEqual(readConfig({}))
  })
})

test('a single node with a secret, outside production, keeps everything itself', () => {
  expect(readConfig({ AUTH_JWT_SECRET: secret })).toMatchObject({
    redis: 'embedded',
    dynamodb: 'embedded',
    media: 'disk',
  })
})

describe('in production', () => {
  test('a complete environment is enough', () => {
    expect(readConfig(production)).toMatchObject({
      production: true,
      redis: { urls: ['redis://cache:6379'] },
      tables: { create: false },
    })
  })

  test('attachments need not be set up, and are then kept nowhere', () => {
    expect(readConfig(production).media).toBe('none')
  })

  test('one error names all that is missing', () => {
    expect(problemsOf({ NODE_ENV: 'production' })).toEqual([
      'REDIS_URL is missing: production embeds nothing, unless STORE=embedded asks for one node that keeps everything in DATA_DIR',
      'DYNAMODB_ENDPOINT is missing: production embeds nothing, unless STORE=embedded asks for one node that keeps everything in DATA_DIR',
      'AUTH_JWT_SECRET or AUTH_JWKS_URL is missing: production has no development mode',
    ])
  })

  test('what is malformed is named together with what is missing', () => {
    const error = (() => {
      try {
        return readConfig({ NODE_ENV: 'production', PORT: 'x', AUTH_JWT_SECRET: 'short', DYNAMODB_ENDPOINT: 'aws' })
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toBeInstanceOf(ConfigError)
    for (const name of ['PORT', 'AUTH_JWT_SECRET', 'REDIS_URL', 'AWS_REGION']) {
      expect((error as ConfigError).message).toContain(`- ${name} `)
    }
  })
})
