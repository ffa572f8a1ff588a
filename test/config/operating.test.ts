import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { problemsOf, production, secret } from './environments.ts'

test('PORT and HOST say where to listen, and port 0 is allowed', () => {
  expect(readConfig({ PORT: '0', HOST: '0.0.0.0', AUTH_JWT_SECRET: secret })).toMatchObject({
    port: 0,
    host: '0.0.0.0',
  })
})

test.each(['70000', '-1', 'http', '80.5', '1e3'])('PORT=%s is refused', (PORT) => {
  expect(problemsOf({ PORT })).toEqual(['PORT must be a port: 0 to 65535'])
})

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
    problemsOf({ LOG_LEVEL: 'loud', DRAIN_DELAY_MS: '30001', OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }),
  ).toEqual([
    'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
    'DRAIN_DELAY_MS must be 0 to 30000',
    'OTEL_EXPORTER_OTLP_ENDPOINT must be http://… or https://…',
  ])
})
