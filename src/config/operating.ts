// What an operator sets: where the node listens, what it logs and traces, how it stops.

import { z } from 'zod'
import type { Config } from './config.ts'
import { packageVersion } from './release.ts'
import { flag, httpUrl } from './variable-rules.ts'

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]
/** Some load balancers look every ten seconds, and want three answers alike. */
const drainDelayMaxMs = 30_000
/** Some load balancers look every second, and want two answers alike. */
const drainDelayProductionMs = 2000

export const listenVariables = z.object({
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, { error: 'must be a port: 0 to 65535', abort: true })
    .transform(Number)
    .refine((port) => port <= 65_535, { error: 'must be a port: 0 to 65535' })
    .default(4000),
  HOST: z.string().default('127.0.0.1'),
})

export const operatingVariables = z.object({
  DATA_DIR: z.string().default('.data'),
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).optional(),
  DRAIN_DELAY_MS: z
    .string()
    .regex(/^\d{1,5}$/, { error: `must be 0 to ${drainDelayMaxMs}`, abort: true })
    .transform(Number)
    .refine((ms) => ms <= drainDelayMaxMs, { error: `must be 0 to ${drainDelayMaxMs}` })
    .optional(),
  EVENTS: flag.optional(),
  RELEASE: z
    .string()
    .regex(/^[\w.+:-]{1,64}$/, { error: 'must be 1 to 64 of A-Z a-z 0-9 . _ + : -' })
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_SERVICE_NAME: z.string().default('parley'),
})

export const operatingSettings = (
  read: z.output<typeof operatingVariables> & z.output<typeof listenVariables>,
  production: boolean,
): Pick<Config, 'host' | 'port' | 'events' | 'dataDir' | 'release' | 'logLevel' | 'drainDelayMs' | 'tracing'> => ({
  host: read.HOST,
  port: read.PORT,
  events: read.EVENTS ?? false,
  dataDir: read.DATA_DIR,
  release: read.RELEASE ?? packageVersion(),
  // At a terminal a person reads the first lines, and the rest only if something is wrong.
  logLevel: read.LOG_LEVEL ?? (production ? 'info' : 'warn'),
  drainDelayMs: read.DRAIN_DELAY_MS ?? (production ? drainDelayProductionMs : 0),
  ...(read.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && {
    tracing: { endpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/$/, ''), serviceName: read.OTEL_SERVICE_NAME },
  }),
})
