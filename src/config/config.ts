// The environment, read once and judged as a whole: the operator learns of all its problems at the first start. Each section has a file
// of its own, with its variables and what they mean.

import { z } from 'zod'
import { authSettings, authVariables } from './auth.ts'
import { beyondLoopback, refusal, warning } from './development-mode.ts'
import { graphqlSettings, graphqlVariables } from './graphql.ts'
import { missingVariables } from './missing-variables.ts'
import { type LogLevel, listenVariables, operatingSettings, operatingVariables } from './operating.ts'
import { preSendSettings, preSendVariables } from './pre-send.ts'
import { pushSettings, pushVariables } from './push.ts'
import type { SecretList } from './secret-lists.ts'
import { storageSettings, storageVariables } from './storage.ts'
import { groupQuotas, trafficSettings, trafficVariables } from './traffic.ts'
import { type Environment, flag } from './variable-rules.ts'
import { webhookSettings, webhookVariables } from './webhooks.ts'

export type Config = {
  production: boolean
  host: string
  /** 0 lets the system choose. */
  port: number
  redis: 'embedded' | { urls: readonly string[] }
  dynamodb: 'embedded' | { endpoint: string; region: string } | { service: 'aws'; region: string }
  /** Which client talks to DynamoDB: our own, or the AWS SDK's. */
  dynamodbClient: 'lean' | 'sdk'
  /** How commands reach Redis: by our shorter way through ioredis, or by its own commands. */
  redisCommands: 'lean' | 'plain'
  /** How events are published on a Redis Cluster, and which are heard. */
  redisEvents: 'sharded' | 'moving' | 'plain'
  /** What executes GraphQL operations: the functions they are compiled to, or graphql-js. */
  graphqlExecutor: 'compiled' | 'reference'
  /** Which server of graphql-transport-ws speaks with the sockets: ours, or that of graphql-ws. */
  websocketProtocol: 'lean' | 'graphql-ws'
  tables: { prefix: string; create: boolean }
  /** How new claims are written; `ttlDays` of 0: they never expire. */
  claimRows: { form: 'full' | 'short'; ttlDays: number }
  /** Every key and channel in Redis begins with it. */
  redisPrefix: string
  /** Where attachments are kept: in S3 or the like, in `dataDir`, or nowhere. */
  media: S3Settings | 'disk' | 'none'
  /** The platforms that are not named here get no push. */
  push: PushSettings
  /** Undefined: nobody is asked before a message is stored. */
  preSend?: PreSendSettings
  auth: 'development' | AuthSettings
  /** What the log, the terminal and the pages say of a development mode that others can reach. */
  developmentWarning?: string
  /** The first signs cursors. Undefined in development mode alone, which makes one and keeps it in `dataDir`. */
  cursorSecrets: SecretList | undefined
  /** What the log says of a rotation that would end cursors. */
  rotationWarning?: string
  allowedOrigins: readonly string[]
  graphiql: boolean
  /** Whether clients may ask for the schema, and errors may suggest names out of it. */
  introspection: boolean
  /** Whether the console for people is served at /admin. */
  adminConsole: boolean
  /** Undefined: clients send whole documents. */
  persistedOperations?: PersistedSettings
  traffic: TrafficSettings
  /** They hold for each user; 0 is no limit. */
  groupQuotas?: { groupsPerHour: number; additionsPerHour: number; changesPerHour: number; chatsPerHour: number }
  /** Whether what happens is kept in the feed for backends. */
  events: boolean
  /** Where webhooks may lead: to the internet, also to this machine, or everywhere. Undefined: to the internet. */
  webhookAddresses?: 'public' | 'loopback' | 'any'
  dataDir: string
  /** Which release of the server this is, for the log, /healthz and the metrics. */
  release: string
  logLevel: LogLevel
  /** How long a node still serves after SIGTERM, no longer ready, before it drains. */
  drainDelayMs: number
  /** Undefined: no traces are sent. */
  tracing?: TracingSettings
}

/** `endpoint` is that of an OTLP collector, without `/v1/traces`. */
export type TracingSettings = { endpoint: string; serviceName: string }

/** The limits of operations and connections; docs/limits.md explains them. No rate and 0 mean no limit. */
export type TrafficSettings = {
  rate: { perSecond: number; burst: number } | undefined
  connectionLimits: {
    perUser: number
    subscriptionsPerUser: number
    perAddress: number
    uninitialised: number
    uninitialisedPerAddress: number
  }
  /** Whether a limit leaves out users who come from the node's own machine. It does unless the operator has set it. */
  sparesLoopback: { rate: boolean; perUser: boolean; subscriptions: boolean }
  /** Each node counts them for each address. */
  badTokensPerMinute: number
  /** Each node counts them for each user. */
  uploads: { perHour: number; bytesPerHour: number }
  /** How many proxies in front of the node have written into X-Forwarded-For. */
  trustedProxies: number
}

/** `preview`: whether banners show the text. `log`: whether devices may be registered that are only printed. */
export type PushSettings = {
  preview: boolean
  log: boolean
  /** Whether a browser may name a push service inside the node's own network: in development mode alone. */
  privateEndpoints?: boolean
  /** `derived`: the keys are derived from the cursor secret. */
  vapid?: VapidSettings | 'derived'
  fcm?: FcmSettings
  apns?: ApnsSettings
}
/**
 * `failure`: what happens to a message about which the backend at `url` does not decide. All secrets sign. `derived`: the secret is derived
 * from the cursor secret.
 */
export type PreSendSettings = { url: string; failure: 'allow' | 'deny'; secrets: readonly Uint8Array[] | 'derived' }
export type VapidSettings = { publicKey: string; privateKey: string; subject: string }
export type FcmSettings = { projectId: string; clientEmail: string; privateKey: string; tokenUri: string }
type ApnsSettings = { key: string; keyId: string; teamId: string; topic: string; sandbox: boolean }

/** At least one of the two keys is there; a token may be signed with either. */
export type AuthSettings = {
  secrets?: SecretList
  jwksUrl?: string
  issuer?: string
  audience?: string
  /** The claim that holds the user's id, if it is not `sub`. */
  userClaim?: string
  /** By how much the clocks of those who sign tokens may differ from the node's. Without it: not at all. */
  clockToleranceSeconds?: number
}

/** Without an endpoint it is the AWS service itself. */
type S3Settings = { bucket: string; region: string; endpoint?: string }

/** Clients name documents by these ids. `only`: no others are run. */
export type PersistedSettings = { documents: ReadonlyMap<string, string>; only: boolean }

/** Every problem of the environment, one per line. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(['The configuration cannot be used:', ...problems.map((problem) => `  - ${problem}`)].join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

export function readConfig(environment: Environment = process.env): Config {
  const given = withoutBlanks(environment)
  const read = variables.safeParse(given)
  const problems = [...(read.error?.issues ?? []).map(describeIssue), ...missingVariables(given), ...exposed(given)]
  if (!read.success || problems.length > 0) throw new ConfigError(problems)
  const beyond = isDevelopment(given) ? beyondLoopback(given) : []
  return { ...assemble(read.data), ...(beyond.length > 0 && { developmentWarning: warning(beyond) }) }
}

/** Problems are reported in this order. */
const variables = z.object({
  NODE_ENV: z.string().optional(),
  ...listenVariables.shape,
  ...storageVariables.shape,
  ...authVariables.shape,
  ...pushVariables.shape,
  ...preSendVariables.shape,
  ...webhookVariables.shape,
  ...graphqlVariables.shape,
  ...trafficVariables.shape,
  ...operatingVariables.shape,
})

function assemble(read: z.output<typeof variables>): Config {
  const production = read.NODE_ENV === 'production'
  const auth = authSettings(read)
  // A node with an auth setting may be reachable from the internet, so its limits are on even if NODE_ENV is not production.
  const guarded = auth.auth !== 'development'
  return {
    production,
    ...storageSettings(read, production),
    ...auth,
    push: pushSettings(read, guarded),
    ...preSendSettings(read),
    ...webhookSettings(read, guarded),
    ...graphqlSettings(read, guarded),
    traffic: trafficSettings(read, guarded),
    groupQuotas: groupQuotas(read),
    ...operatingSettings(read, production),
  }
}

const isDevelopment = (given: Environment): boolean =>
  given.NODE_ENV !== 'production' && given.AUTH_JWT_SECRET === undefined && given.AUTH_JWKS_URL === undefined

/** The problems that keep a node in development mode from starting. */
const exposed = (given: Environment): string[] =>
  isDevelopment(given) && !flag.safeParse(given.DEVELOPMENT).data ? beyondLoopback(given).map(refusal) : []

export const describeIssue = (issue: z.core.$ZodIssue): string => `${issue.path.join('.')} ${issue.message}`

/** An empty variable is an unset one, as in most files that set variables. */
export const withoutBlanks = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ''))
