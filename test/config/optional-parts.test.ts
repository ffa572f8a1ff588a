import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config/config.ts'
import type { CompleteConfig } from '../../src/config/dev-secrets.ts'
import { assertStoreParts, withInstalledParts } from '../../src/config/optional-parts.ts'
import { production } from './environments.ts'

const nothing = () => false
const everything = () => true

function complete(environment: Record<string, string>): CompleteConfig {
  const config = readConfig(environment)
  const secrets = [new Uint8Array(32)] as const
  const development = config.auth === 'development'
  return {
    ...config,
    development,
    auth: config.auth === 'development' ? { secrets: [...secrets] } : config.auth,
    cursorSecrets: [...secrets],
  }
}

function problems(work: () => unknown): readonly string[] {
  try {
    work()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('a node on Redis and a DynamoDB endpoint needs none', () => {
  const config = complete(production)
  expect(withInstalledParts(config, expect.unreachable, nothing)).toEqual(config)
})

test('all settings that lack a package are named at once, with what to install', () => {
  const { DYNAMODB_ENDPOINT: _endpoint, ...rest } = production
  const config = complete({
    ...rest,
    DYNAMODB_ENDPOINT: 'aws',
    AWS_REGION: 'eu-central-1',
    S3_BUCKET: 'files',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    GRAPHIQL: 'true',
  })
  expect(withInstalledParts(config, expect.unreachable, everything)).toEqual(config)
  const found = problems(() => withInstalledParts(config, expect.unreachable, nothing))
  expect(found.map((problem) => problem.split(' ')[0])).toEqual([
    'DYNAMODB_ENDPOINT=aws',
    'S3_BUCKET',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'GRAPHIQL',
  ])
  expect(found[2]).toMatch(
    /^OTEL_EXPORTER_OTLP_ENDPOINT needs packages that are not installed: npm install @opentelemetry\/api@\d\S* .*@opentelemetry\/sdk-trace-base@\d\S*, or an image that was built with --build-arg PARTS=tracing$/,
  )
})

test('development mode does without GraphiQL and push to browsers, and says so', () => {
  const said: string[] = []
  const left = withInstalledParts(complete({}), (text) => said.push(text), nothing)
  expect(left.graphiql).toBe(false)
  expect(left.push.vapid).toBeUndefined()
  expect(said.map((text) => text.split(':')[0])).toEqual(['There is no GraphiQL', 'There is no push to browsers'])
  expect(said[1]).toMatch(/npm install web-push@\d/)
})

test('the SDK as the client of DynamoDB is a part too, and a copy checks for it', () => {
  const config = complete({ ...production, DYNAMODB_CLIENT: 'sdk' })
  const found = problems(() => assertStoreParts(config, nothing))
  expect(found).toEqual([expect.stringMatching(/^DYNAMODB_CLIENT=sdk needs .*@aws-sdk\/lib-dynamodb@\d/)])
})
