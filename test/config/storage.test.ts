import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { problemsOf, secret } from './environments.ts'

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

test('REDIS_COMMANDS is lean or plain', () => {
  expect(readConfig({ REDIS_COMMANDS: 'plain' }).redisCommands).toBe('plain')
  expect(problemsOf({ REDIS_COMMANDS: 'ioredis' })).toEqual(['REDIS_COMMANDS must be lean or plain'])
})

test('REDIS_EVENTS is sharded, unless a cluster moves to it', () => {
  expect(readConfig({}).redisEvents).toBe('sharded')
  expect(readConfig({ REDIS_EVENTS: 'moving' }).redisEvents).toBe('moving')
  expect(problemsOf({ REDIS_EVENTS: 'both' })).toEqual(['REDIS_EVENTS must be sharded, moving or plain'])
})

test('new claims are full and stay for ever, unless SENDS_ROWS and SENDS_TTL_DAYS say otherwise', () => {
  expect(readConfig({ SENDS_ROWS: 'short', SENDS_TTL_DAYS: '90' }).claimRows).toEqual({ form: 'short', ttlDays: 90 })
  expect(problemsOf({ SENDS_ROWS: 'tiny', SENDS_TTL_DAYS: '4000' })).toEqual([
    'SENDS_ROWS must be full or short',
    'SENDS_TTL_DAYS must be 0 to 3650',
  ])
})

test('DYNAMODB_CLIENT is lean or sdk', () => {
  expect(readConfig({ DYNAMODB_CLIENT: 'sdk' }).dynamodbClient).toBe('sdk')
  expect(problemsOf({ DYNAMODB_CLIENT: 'aws' })).toEqual(['DYNAMODB_CLIENT must be lean or sdk'])
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
