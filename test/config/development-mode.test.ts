import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { problemsOf, production, secret } from './environments.ts'

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
