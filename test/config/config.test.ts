import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ConfigError, deriveCursorSecret, deriveVapid, readConfig } from '../../src/config/config.ts'

const secret = 'x'.repeat(32)
const production = {
  NODE_ENV: 'production',
  REDIS_URL: 'redis://cache:6379',
  DYNAMODB_ENDPOINT: 'http://db:8000',
  AUTH_JWT_SECRET: secret,
}

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('with nothing set', () => {
  test('everything is embedded and development mode is on', () => {
    expect(readConfig({})).toEqual({
      production: false,
      host: '127.0.0.1',
      port: 4000,
      redis: 'embedded',
      dynamodb: 'embedded',
      dynamodbClient: 'lean',
      graphqlExecutor: 'compiled',
      tables: { prefix: 'parley_', create: true },
      redisPrefix: 'parley_',
      media: 'disk',
      push: { preview: true, log: true, privateEndpoints: true, vapid: 'derived' },
      auth: 'development',
      cursorSecret: undefined,
      allowedOrigins: [],
      graphiql: true,
      introspection: true,
      traffic: {
        rate: undefined,
        places: {
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
      dataDir: '.data',
      logLevel: 'warn',
      drainDelayMs: 0,
    })
  })

  test('an empty variable is an unset one', () => {
    expect(readConfig({ PORT: '', REDIS_URL: ' ', AUTH_JWT_SECRET: '', GRAPHIQL: '' })).toEqual(readConfig({}))
  })
})

describe('for whoever is on call', () => {
  test('production logs operations, and stays a moment after it was told to stop', () => {
    expect(readConfig(production)).toMatchObject({ logLevel: 'info', drainDelayMs: 2000 })
    expect(readConfig({ ...production, LOG_LEVEL: 'debug', DRAIN_DELAY_MS: '0' })).toMatchObject({
      logLevel: 'debug',
      drainDelayMs: 0,
    })
  })

  test('traces are sent nowhere unless there is somewhere to send them', () => {
    expect(readConfig(production).tracing).toBeUndefined()
    expect(readConfig({ OTEL_SERVICE_NAME: 'chat' }).tracing).toBeUndefined()
    const endpoint = 'http://collector:4318'
    expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/` }).tracing).toEqual({
      endpoint,
      serviceName: 'parley',
    })
    expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: 'chat' }).tracing).toEqual({
      endpoint,
      serviceName: 'chat',
    })
  })

  test('what cannot be meant is named', () => {
    expect(
      problemsOf({ LOG_LEVEL: 'loud', DRAIN_DELAY_MS: '3001', OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }),
    ).toEqual([
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
      'DRAIN_DELAY_MS must be 0 to 3000',
      'OTEL_EXPORTER_OTLP_ENDPOINT must be http://… or https://…',
    ])
  })
})

describe('pushing', () => {
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
})

describe('each variable', () => {
  test('PORT and HOST say where to listen, and port 0 is allowed', () => {
    expect(readConfig({ PORT: '0', HOST: '0.0.0.0', AUTH_JWT_SECRET: secret })).toMatchObject({
      port: 0,
      host: '0.0.0.0',
    })
  })

  test.each(['70000', '-1', 'http', '80.5', '1e3'])('PORT=%s is refused', (PORT) => {
    expect(problemsOf({ PORT })).toEqual(['PORT must be a port: 0 to 65535'])
  })

  test('REDIS_URL may be a list, which is a cluster', () => {
    expect(readConfig({ REDIS_URL: 'redis://localhost:1, rediss://[::1]:2' }).redis).toEqual({
      urls: ['redis://localhost:1', 'rediss://[::1]:2'],
    })
  })

  test.each(['localhost:6379', 'http://localhost', 'redis://localhost,b', ','])(
    'REDIS_URL=%s is refused',
    (REDIS_URL) => {
      expect(problemsOf({ REDIS_URL })).toHaveLength(1)
    },
  )

  test('DYNAMODB_ENDPOINT is a URL, and then no table is created unless CREATE_TABLES says so', () => {
    const DYNAMODB_ENDPOINT = 'http://127.0.0.1:8000'
    expect(readConfig({ DYNAMODB_ENDPOINT })).toMatchObject({
      dynamodb: { endpoint: DYNAMODB_ENDPOINT, region: 'us-east-1' },
      tables: { create: false },
    })
    expect(readConfig({ DYNAMODB_ENDPOINT, CREATE_TABLES: 'true' }).tables.create).toBe(true)
    expect(readConfig({ CREATE_TABLES: 'false' }).tables.create).toBe(false)
  })

  test('DYNAMODB_ENDPOINT=aws is the service itself, in AWS_REGION', () => {
    const onAws = { DYNAMODB_ENDPOINT: 'aws', AUTH_JWT_SECRET: secret }
    expect(readConfig({ ...onAws, AWS_REGION: 'eu-west-1' }).dynamodb).toEqual({
      service: 'aws',
      region: 'eu-west-1',
    })
    expect(problemsOf(onAws)).toEqual(['AWS_REGION is missing: DYNAMODB_ENDPOINT is aws'])
    expect(problemsOf({ DYNAMODB_ENDPOINT: 'db:8000' })).toHaveLength(1)
  })

  test('DYNAMODB_CLIENT is lean or sdk', () => {
    expect(readConfig({ DYNAMODB_CLIENT: 'sdk' }).dynamodbClient).toBe('sdk')
    expect(problemsOf({ DYNAMODB_CLIENT: 'aws' })).toEqual(['DYNAMODB_CLIENT must be lean or sdk'])
  })

  test('GRAPHQL_EXECUTOR is compiled or reference', () => {
    expect(readConfig({ GRAPHQL_EXECUTOR: 'reference' }).graphqlExecutor).toBe('reference')
    expect(problemsOf({ GRAPHQL_EXECUTOR: 'yoga' })).toEqual(['GRAPHQL_EXECUTOR must be compiled or reference'])
  })

  test('TABLE_PREFIX and DATA_DIR are taken as they are', () => {
    const { tables, dataDir } = readConfig({ TABLE_PREFIX: 'test-1.', DATA_DIR: '/var/lib/parley' })
    expect([tables.prefix, dataDir]).toEqual(['test-1.', '/var/lib/parley'])
    expect(problemsOf({ TABLE_PREFIX: 'no spaces' })).toHaveLength(1)
  })

  test('REDIS_PREFIX is the table prefix unless it is set, and holds no hash tag', () => {
    expect(readConfig({ TABLE_PREFIX: 'staging_' }).redisPrefix).toBe('staging_')
    expect(readConfig({ TABLE_PREFIX: 'staging_', REDIS_PREFIX: 'parley:' }).redisPrefix).toBe('parley:')
    for (const REDIS_PREFIX of ['a{b}', 'a b', 'a*', 'x'.repeat(129)])
      expect(problemsOf({ REDIS_PREFIX })).toEqual(['REDIS_PREFIX must be 1 to 128 of A-Z a-z 0-9 _ . : -'])
  })

  test('S3_BUCKET keeps attachments in AWS, or in what S3_ENDPOINT names', () => {
    const auth = { AUTH_JWT_SECRET: secret }
    expect(readConfig({ ...auth, S3_BUCKET: 'pics', AWS_REGION: 'eu-west-1' }).media).toEqual({
      bucket: 'pics',
      region: 'eu-west-1',
    })
    expect(readConfig({ ...auth, S3_BUCKET: 'pics', AWS_REGION: 'eu-west-1', S3_REGION: 'us-east-2' }).media).toEqual({
      bucket: 'pics',
      region: 'us-east-2',
    })
    expect(readConfig({ ...auth, S3_BUCKET: 'pics', S3_ENDPOINT: 'http://minio:9000' }).media).toEqual({
      bucket: 'pics',
      region: 'us-east-1',
      endpoint: 'http://minio:9000',
    })
    expect(problemsOf({ ...auth, S3_BUCKET: 'pics' })).toHaveLength(1)
    expect(problemsOf({ S3_ENDPOINT: 'http://minio:9000' })).toEqual([
      'S3_BUCKET is missing: S3_ENDPOINT and S3_REGION need one',
    ])
    expect(problemsOf({ ...auth, S3_BUCKET: 'pics', S3_ENDPOINT: 'minio:9000' })).toEqual([
      'S3_ENDPOINT must be http://… or https://…',
    ])
  })

  test('AUTH_JWT_SECRET has at least 32 bytes, not characters', () => {
    expect(problemsOf({ AUTH_JWT_SECRET: 'x'.repeat(31) })).toEqual(['AUTH_JWT_SECRET must have at least 32 bytes'])
    expect(readConfig({ AUTH_JWT_SECRET: 'é'.repeat(16) }).auth).toEqual({
      secret: new TextEncoder().encode('é'.repeat(16)),
    })
  })

  test('AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE describe an identity provider', () => {
    const environment = { AUTH_JWKS_URL: 'https://id/keys', AUTH_ISSUER: 'https://id', AUTH_AUDIENCE: 'parley' }
    expect(readConfig({ ...environment, CURSOR_SECRET: 'shared' }).auth).toEqual({
      jwksUrl: 'https://id/keys',
      issuer: 'https://id',
      audience: 'parley',
    })
    expect(problemsOf({ AUTH_JWKS_URL: 'id/keys', CURSOR_SECRET: 'shared' })).toEqual([
      'AUTH_JWKS_URL must be http://… or https://…',
    ])
  })

  test('an issuer without a key is no development mode', () => {
    expect(problemsOf({ AUTH_ISSUER: 'https://id' })).toHaveLength(1)
  })

  test('CURSOR_SECRET is taken, or derived from the auth secret without being the same', () => {
    const bytes = new TextEncoder().encode(secret)
    expect(readConfig({ CURSOR_SECRET: 'mine' }).cursorSecret).toEqual(new TextEncoder().encode('mine'))
    const { cursorSecret } = readConfig({ AUTH_JWT_SECRET: secret })
    expect(cursorSecret).toEqual(deriveCursorSecret(bytes))
    expect(cursorSecret).not.toEqual(bytes)
    expect(readConfig({ AUTH_JWT_SECRET: secret }).cursorSecret).toEqual(cursorSecret)
  })

  test.each([production.NODE_ENV, 'test', ''])(
    'CURSOR_SECRET is needed beside a key set alone, as nodes would make one each: NODE_ENV=%s',
    (NODE_ENV) => {
      const { AUTH_JWT_SECRET: _none, ...rest } = production
      const withKeys = { ...rest, NODE_ENV, AUTH_JWKS_URL: 'https://id/keys' }
      expect(problemsOf(withKeys)).toEqual([
        'CURSOR_SECRET is missing: AUTH_JWKS_URL alone gives no secret to derive it from',
      ])
      expect(problemsOf({ ...withKeys, CURSOR_SECRET: 'shared' })).toEqual([])
      expect(problemsOf({ ...withKeys, AUTH_JWT_SECRET: secret })).toEqual([])
    },
  )

  test('ALLOWED_ORIGINS is a list of origins', () => {
    expect(readConfig({ ALLOWED_ORIGINS: 'https://a.example, http://b.example:8080/' }).allowedOrigins).toEqual([
      'https://a.example',
      'http://b.example:8080',
    ])
    expect(problemsOf({ ALLOWED_ORIGINS: 'a.example' })).toHaveLength(1)
    expect(problemsOf({ ALLOWED_ORIGINS: 'https://a.example/path' })).toHaveLength(1)
  })

  test('GRAPHIQL is on in development mode, off otherwise, and as said where it is said', () => {
    expect(readConfig({ AUTH_JWT_SECRET: secret }).graphiql).toBe(false)
    expect(readConfig(production).graphiql).toBe(false)
    expect(readConfig({ ...production, GRAPHIQL: 'true' }).graphiql).toBe(true)
    expect(readConfig({ GRAPHIQL: 'off' }).graphiql).toBe(false)
    expect(problemsOf({ GRAPHIQL: 'maybe' })).toEqual(['GRAPHIQL must be true or false'])
  })

  test.each([
    [{}, true],
    [{ GRAPHIQL: 'false' }, true],
    [{ INTROSPECTION: 'false' }, false],
    [production, false],
    [{ AUTH_JWT_SECRET: secret }, false],
    [{ ...production, GRAPHIQL: 'true' }, true],
    [{ ...production, GRAPHIQL: 'true', INTROSPECTION: 'false' }, false],
    [{ ...production, INTROSPECTION: 'true' }, true],
  ])(
    'INTROSPECTION is off outside development mode, unless it or the explorer is asked for: row %#',
    (environment, expected) => {
      expect(readConfig(environment).introspection).toBe(expected)
    },
  )

  test('PERSISTED_OPERATIONS is a file, and PERSISTED_OPERATIONS_ONLY needs it', () => {
    const path = 'src/client/generated/persisted.json'
    expect(readConfig({ PERSISTED_OPERATIONS: path }).persistedOperations).toMatchObject({ only: false })
    expect(problemsOf({ PERSISTED_OPERATIONS: 'nowhere.json', PERSISTED_OPERATIONS_ONLY: 'perhaps' })).toEqual([
      'PERSISTED_OPERATIONS must be the path of a JSON file of documents by their ids',
      'PERSISTED_OPERATIONS_ONLY must be true or false',
    ])
    expect(problemsOf({ PERSISTED_OPERATIONS_ONLY: 'true' })).toEqual([
      'PERSISTED_OPERATIONS is missing: PERSISTED_OPERATIONS_ONLY is about the documents it names',
    ])
  })
})

describe('traffic', () => {
  test.each([
    ['production', production],
    ['a node with a secret, whatever NODE_ENV says,', { AUTH_JWT_SECRET: secret }],
    ['a node with keys of an identity provider', { AUTH_JWKS_URL: 'https://id/keys', CURSOR_SECRET: 'shared' }],
  ])('%s bounds what a user can take', (_name, environment) => {
    expect(readConfig(environment).traffic).toEqual({
      rate: { perSecond: 500, burst: 5000 },
      places: {
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
      places: { perUser: 8, perAddress: 9 },
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
      places: { perUser: 0, perAddress: 0 },
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
      places: { subscriptionsPerUser: 10 },
      sparesLoopback: { subscriptions: false },
      badTokensPerMinute: 11,
      uploads: { perHour: 12, bytesPerHour: 13 * 2 ** 20 },
    })
    const off = Object.fromEntries(Object.keys(set).map((name) => [name, '0']))
    expect(readConfig({ ...production, ...off }).traffic).toMatchObject({
      places: { subscriptionsPerUser: 0 },
      badTokensPerMinute: 0,
      uploads: { perHour: 0, bytesPerHour: 0 },
    })
  })

  test.each(['-1', '1.5', 'many', '11'])('TRUSTED_PROXIES=%s is refused', (TRUSTED_PROXIES) => {
    expect(problemsOf({ TRUSTED_PROXIES })).toEqual(['TRUSTED_PROXIES must be 0 to 10'])
  })
})

describe('development mode', () => {
  const allWords = (problem: string) => {
    for (const word of ['AUTH_JWT_SECRET', 'AUTH_JWKS_URL', 'loopback', 'DEVELOPMENT=true'])
      expect(problem).toContain(word)
  }
  const exposed: [Record<string, string>, string][] = [
    [{ HOST: '0.0.0.0' }, 'HOST is 0.0.0.0'],
    [{ HOST: '::' }, 'HOST is ::'],
    [{ HOST: '192.168.1.5' }, 'HOST is 192.168.1.5'],
    [{ HOST: 'chat.example' }, 'HOST is chat.example'],
    [{ REDIS_URL: 'redis://:password@cache:6379' }, 'REDIS_URL is cache'],
    [{ REDIS_URL: 'redis://127.0.0.1:1,redis://10.0.0.2:1' }, 'REDIS_URL is 10.0.0.2'],
    [{ DYNAMODB_ENDPOINT: 'http://db:8000' }, 'DYNAMODB_ENDPOINT is db'],
    [{ DYNAMODB_ENDPOINT: 'aws', AWS_REGION: 'eu-west-1' }, 'DYNAMODB_ENDPOINT is aws'],
    [{ S3_BUCKET: 'pics', AWS_REGION: 'eu-west-1' }, 'S3_BUCKET is aws'],
    [{ S3_BUCKET: 'pics', S3_ENDPOINT: 'http://minio:9000' }, 'S3_BUCKET is minio'],
  ]

  test.each(exposed)('does not start with %j, and the error names it and the ways out', (environment, what) => {
    const [problem = '', ...others] = problemsOf(environment)
    expect(others).toEqual([])
    expect(problem.startsWith(`${what}: `)).toBe(true)
    allWords(problem)
    expect(problem).not.toContain('password')
  })

  test('names everything that is not on loopback at once', () => {
    const given = { HOST: '0.0.0.0', REDIS_URL: 'redis://cache:1', DYNAMODB_ENDPOINT: 'aws', AWS_REGION: 'eu-west-1' }
    expect(problemsOf(given).map((problem) => problem.split(' ')[0])).toEqual([
      'HOST',
      'REDIS_URL',
      'DYNAMODB_ENDPOINT',
    ])
  })

  test.each(exposed)('starts with %j where DEVELOPMENT=true says so, and warns', (environment, what) => {
    const { auth, developmentWarning } = readConfig({ ...environment, DEVELOPMENT: 'true' })
    expect(auth).toBe('development')
    expect(developmentWarning).toContain(what)
    expect(developmentWarning).toContain('/dev/token')
    expect(problemsOf({ ...environment, DEVELOPMENT: 'false' })).toHaveLength(1)
  })

  test.each([
    { HOST: 'localhost' },
    { HOST: '::1' },
    { HOST: '127.0.0.2' },
    { REDIS_URL: 'redis://localhost:6379' },
    { REDIS_URL: 'unix:///run/redis.sock' },
    { DYNAMODB_ENDPOINT: 'http://[::1]:8000' },
    { S3_BUCKET: 'pics', S3_ENDPOINT: 'http://localhost:9000' },
    { DEVELOPMENT: 'true' },
  ])('starts with %j without a warning', (environment) => {
    expect(readConfig(environment)).not.toHaveProperty('developmentWarning')
  })

  test('does not exist beside an auth setting, nor in production', () => {
    const open = { HOST: '0.0.0.0', DEVELOPMENT: 'true' }
    expect(readConfig({ ...open, AUTH_JWT_SECRET: secret })).not.toHaveProperty('developmentWarning')
    expect(readConfig({ ...open, AUTH_JWT_SECRET: secret }).push).toMatchObject({ log: false })
    expect(readConfig({ ...open, AUTH_JWT_SECRET: secret }).push).not.toHaveProperty('privateEndpoints')
    const { AUTH_JWT_SECRET: _none, ...rest } = production
    expect(problemsOf({ ...rest, ...open })).toEqual([
      'AUTH_JWT_SECRET or AUTH_JWKS_URL is missing: production has no development mode',
    ])
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
      'REDIS_URL is missing: production embeds nothing',
      'DYNAMODB_ENDPOINT is missing: production embeds nothing',
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
