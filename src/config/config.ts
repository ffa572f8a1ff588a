// The environment, read once and judged as a whole: whoever starts a node learns of all its problems at the first try.

import { createECDH, hkdfSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { beyondLoopback, refusal, warning } from './development-mode.ts'

export type Config = {
  production: boolean
  host: string
  /** 0 lets the system choose. */
  port: number
  redis: 'embedded' | { urls: readonly string[] }
  dynamodb: 'embedded' | { endpoint: string; region: string } | { service: 'aws'; region: string }
  /** How it is talked to: our own client, or the AWS SDK's. */
  dynamodbClient: 'lean' | 'sdk'
  /** How commands are sent: by our shorter way through ioredis, or by its own commands. */
  redisCommands: 'lean' | 'plain'
  tables: { prefix: string; create: boolean }
  /** Of every key and channel in Redis. */
  redisPrefix: string
  /** Where attachments are kept: S3 or the like, `dataDir`, or nowhere. */
  media: S3Settings | 'disk' | 'none'
  /** What can be pushed to; nothing else is. */
  push: PushSettings
  auth: 'development' | AuthSettings
  /** What is to be said, loudly, of a development mode that others can reach. */
  developmentWarning?: string
  /** Undefined in development mode alone: generated once and kept in `dataDir`. */
  cursorSecret: Uint8Array | undefined
  allowedOrigins: readonly string[]
  graphiql: boolean
  /** Whether the schema may be asked for, and errors may suggest names out of it. */
  introspection: boolean
  /** Undefined: clients send whole documents. */
  persistedOperations?: PersistedSettings
  traffic: TrafficSettings
  /** Of one user; 0: no limit. */
  groupQuotas?: { groupsPerHour: number; additionsPerHour: number; changesPerHour: number; chatsPerHour: number }
  dataDir: string
  logLevel: LogLevel
  /** How long a node that was told to stop still serves, not ready, before it drains. */
  drainDelayMs: number
  /** Present where traces are to be sent somewhere. */
  tracing?: TracingSettings
}

export type LogLevel = (typeof logLevels)[number]
/** `endpoint`: of an OTLP collector, without `/v1/traces`. */
export type TracingSettings = { endpoint: string; serviceName: string }
/** Operations and connections, see docs/limits.md. Without a rate, and where there is a 0, as many as come. */
type TrafficSettings = {
  rate: { perSecond: number; burst: number } | undefined
  places: {
    perUser: number
    subscriptionsPerUser: number
    perAddress: number
    uninitialised: number
    uninitialisedPerAddress: number
  }
  /** Whether users are not counted who come from the node's own machine: unless somebody has set the limit. */
  sparesLoopback: { rate: boolean; perUser: boolean; subscriptions: boolean }
  /** Of one address, per node; 0: as many as come. */
  badTokensPerMinute: number
  /** Of one user, per node; 0: as many as come. */
  uploads: { perHour: number; bytesPerHour: number }
  /** How many proxies in front of the node have written into X-Forwarded-For. */
  trustedProxies: number
}

/** `preview`: whether banners show the text. `log`: whether devices may be registered that are only printed. */
type PushSettings = {
  preview: boolean
  log: boolean
  /** Whether a browser may name a push service inside the node's own network: at a desk alone. */
  privateEndpoints?: boolean
  /** `derived`: from the cursor secret. */
  vapid?: VapidSettings | 'derived'
  fcm?: FcmSettings
  apns?: ApnsSettings
}
type VapidSettings = { publicKey: string; privateKey: string; subject: string }
type FcmSettings = { projectId: string; clientEmail: string; privateKey: string; tokenUri: string }
type ApnsSettings = { key: string; keyId: string; teamId: string; topic: string; sandbox: boolean }

/** At least one of the two keys; a token may be signed with either. */
export type AuthSettings = {
  secret?: Uint8Array
  jwksUrl?: string
  issuer?: string
  audience?: string
}

/** Without an endpoint: the AWS service itself. */
type S3Settings = { bucket: string; region: string; endpoint?: string }

/** Documents by the id clients name them by. `only`: no others are run. */
export type PersistedSettings = { documents: ReadonlyMap<string, string>; only: boolean }

type Environment = Readonly<Record<string, string | undefined>>

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
  const problems = [...(read.error?.issues ?? []).map(describe), ...missing(given), ...exposed(given)]
  if (!read.success || problems.length > 0) throw new ConfigError(problems)
  const beyond = isDevelopment(given) ? beyondLoopback(given) : []
  return { ...assemble(read.data), ...(beyond.length > 0 && { developmentWarning: warning(beyond) }) }
}

/** A second secret from a first one, so that neither tells anything about the other. */
export const deriveCursorSecret = (secret: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'parley cursor', 32))

/** For the URLs of files the node keeps itself. */
export const deriveMediaSecret = (secret: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'parley media', 32))

/** For the hashes of what was sent. `id` tells which secret they were made with. */
export const derivePayloadKey = (secret: Uint8Array): { id: string; key: Uint8Array } => ({
  id: Buffer.from(hkdfSync('sha256', secret, '', 'parley payload key id', 6)).toString('base64url'),
  key: new Uint8Array(hkdfSync('sha256', secret, '', 'parley payload', 32)),
})

/** For a desk, where nobody wants to make any: the same for as long as the secret is. */
export function deriveVapid(secret: Uint8Array): VapidSettings {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(Buffer.from(hkdfSync('sha256', secret, '', 'parley vapid', 32)))
  const subject = 'mailto:nobody@parley.invalid'
  return { publicKey: pair.getPublicKey('base64url'), privateKey: pair.getPrivateKey('base64url'), subject }
}

const secretMinBytes = 32
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
/** Longer would leave a drain too little of the ten seconds that SIGTERM gives. */
const drainDelayMaxMs = 3000
/** Some load balancers look every second, and want two answers alike. */
const drainDelayProductionMs = 2000
/** Embedded and local stores ask for a region but do nothing with it. */
const anyRegion = 'us-east-1'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

const flag = z.enum(['true', 'false', '1', '0', 'on', 'off'], { error: 'must be true or false' }).transform(
  // Operators write it in all these ways.
  (value) => value === 'true' || value === '1' || value === 'on',
)

const hasProtocol = (text: string, ...protocols: string[]): boolean =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol)

/** A setting that is too long for most places, or the path of a file that holds it. */
function textOrFile(given: string, begins: string): string | undefined {
  if (given.trim().startsWith(begins)) return given.replaceAll('\\n', '\n')
  try {
    return readFileSync(given, 'utf8')
  } catch {
    return undefined
  }
}

const base64url = (bytes: number) =>
  z.string().refine((text) => /^[A-Za-z0-9_-]+$/.test(text) && Buffer.from(text, 'base64url').length === bytes, {
    error: `must be ${bytes} bytes in base64url, as web-push generate-vapid-keys prints them`,
  })

const accountRule = z.object({
  project_id: z.string(),
  client_email: z.string(),
  private_key: z.string(),
  token_uri: z.string().refine((uri) => hasProtocol(uri, 'http:', 'https:')),
})

function parseAccount(given: string): FcmSettings | undefined {
  try {
    const text = given.trim().startsWith('{') ? given : readFileSync(given, 'utf8')
    const { data } = accountRule.safeParse(JSON.parse(text))
    if (!data) return undefined
    const { project_id, client_email, private_key, token_uri } = data
    return { projectId: project_id, clientEmail: client_email, privateKey: private_key, tokenUri: token_uri }
  } catch {
    return undefined
  }
}

const documentsById = z.record(z.string(), z.string())
const apolloManifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  operations: z.array(z.object({ id: z.string(), body: z.string() })),
})

/** As graphql-codegen and Relay write it, or Apollo. */
function readDocuments(path: string): ReadonlyMap<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const apollo = apolloManifest.safeParse(value).data
    if (apollo) return new Map(apollo.operations.map(({ id, body }) => [id, body]))
    const plain = documentsById.safeParse(value).data
    return plain && new Map(Object.entries(plain))
  } catch {
    return undefined
  }
}
const count = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error: `must be 0 to ${max}`, abort: true })
    .transform(Number)
    .refine((value) => value <= max, { error: `must be 0 to ${max}` })
    .optional()

const variables = z.object({
  NODE_ENV: z.string().optional(),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, { error: 'must be a port: 0 to 65535', abort: true })
    .transform(Number)
    .refine((port) => port <= 65_535, { error: 'must be a port: 0 to 65535' })
    .default(4000),
  HOST: z.string().default('127.0.0.1'),
  REDIS_URL: z
    .string()
    .transform(listOf)
    .refine((urls) => urls.length > 0 && urls.every((url) => hasProtocol(url, 'redis:', 'rediss:', 'unix:')), {
      error: 'must be redis://…, rediss://… or unix://…, or a comma-separated list of these',
    })
    .optional(),
  DYNAMODB_ENDPOINT: z
    .string()
    .refine((endpoint) => endpoint === 'aws' || hasProtocol(endpoint, 'http:', 'https:'), {
      error: 'must be http://…, https://… or aws',
    })
    .optional(),
  DYNAMODB_CLIENT: z.enum(['lean', 'sdk'], { error: 'must be lean or sdk' }).default('lean'),
  REDIS_COMMANDS: z.enum(['lean', 'plain'], { error: 'must be lean or plain' }).default('lean'),
  AWS_REGION: z.string().optional(),
  TABLE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,128}$/, { error: 'must be 1 to 128 of A-Z a-z 0-9 _ . -' })
    .default('parley_'),
  // A brace would be taken for the hash tag of a cluster.
  REDIS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,128}$/, { error: 'must be 1 to 128 of A-Z a-z 0-9 _ . : -' })
    .optional(),
  CREATE_TABLES: flag.optional(),
  S3_BUCKET: z.string().optional(),
  S3_ENDPOINT: z
    .string()
    .refine((endpoint) => hasProtocol(endpoint, 'http:', 'https:'), { error: 'must be http://… or https://…' })
    .optional(),
  S3_REGION: z.string().optional(),
  DEVELOPMENT: flag.default(false),
  AUTH_JWT_SECRET: z
    .string()
    .transform(bytes)
    .refine((secret) => secret.length >= secretMinBytes, { error: `must have at least ${secretMinBytes} bytes` })
    .optional(),
  AUTH_JWKS_URL: z
    .string()
    .refine((url) => hasProtocol(url, 'http:', 'https:'), { error: 'must be http://… or https://…' })
    .optional(),
  AUTH_ISSUER: z.string().optional(),
  AUTH_AUDIENCE: z.string().optional(),
  CURSOR_SECRET: z.string().transform(bytes).optional(),
  ALLOWED_ORIGINS: z
    .string()
    .transform((text) => listOf(text).map((origin) => origin.replace(/\/$/, '').toLowerCase()))
    .refine((origins) => origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin), {
      error: 'must be a comma-separated list of origins such as https://chat.example.com',
    })
    .default([]),
  PUSH_PREVIEW: flag.default(true),
  VAPID_PUBLIC_KEY: base64url(65).optional(),
  VAPID_PRIVATE_KEY: base64url(32).optional(),
  VAPID_SUBJECT: z
    .string()
    .refine((subject) => hasProtocol(subject, 'https:', 'mailto:'), { error: 'must be mailto:… or https://…' })
    .optional(),
  FCM_SERVICE_ACCOUNT: z
    .string()
    .transform(parseAccount)
    .refine((account) => account !== undefined, {
      error: 'must be the JSON of a service account, or the path of a file that holds it',
    })
    .optional(),
  APNS_KEY: z
    .string()
    .transform((given) => textOrFile(given, '-----BEGIN'))
    .refine((key) => key?.includes('PRIVATE KEY-----'), {
      error: 'must be a key in PEM (the .p8 of Apple), or the path of a file that holds it',
    })
    .optional(),
  APNS_KEY_ID: z.string().optional(),
  APNS_TEAM_ID: z.string().optional(),
  APNS_TOPIC: z.string().optional(),
  APNS_SANDBOX: flag.default(false),
  GRAPHIQL: flag.optional(),
  INTROSPECTION: flag.optional(),
  PERSISTED_OPERATIONS: z
    .string()
    .transform(readDocuments)
    .refine((documents) => documents !== undefined && documents.size > 0, {
      error: 'must be the path of a JSON file of documents by their ids',
    })
    .optional(),
  PERSISTED_OPERATIONS_ONLY: flag.default(false),
  RATE_LIMIT_PER_SECOND: count(1_000_000),
  RATE_LIMIT_BURST: count(10_000_000),
  GROUPS_PER_HOUR: count(1_000_000),
  GROUP_ADDITIONS_PER_HOUR: count(10_000_000),
  GROUP_CHANGES_PER_HOUR: count(10_000_000),
  CHATS_PER_HOUR: count(10_000_000),
  SOCKETS_PER_USER: count(1_000_000),
  SOCKETS_PER_ADDRESS: count(1_000_000),
  SUBSCRIPTIONS_PER_USER: count(1_000_000),
  BAD_TOKENS_PER_MINUTE: count(1_000_000),
  UPLOADS_PER_HOUR: count(1_000_000),
  UPLOAD_MEGABYTES_PER_HOUR: count(1_000_000),
  TRUSTED_PROXIES: count(10),
  DATA_DIR: z.string().default('.data'),
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).optional(),
  DRAIN_DELAY_MS: z
    .string()
    .regex(/^\d{1,5}$/, { error: `must be 0 to ${drainDelayMaxMs}`, abort: true })
    .transform(Number)
    .refine((ms) => ms <= drainDelayMaxMs, { error: `must be 0 to ${drainDelayMaxMs}` })
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine((endpoint) => hasProtocol(endpoint, 'http:', 'https:'), { error: 'must be http://… or https://…' })
    .optional(),
  OTEL_SERVICE_NAME: z.string().default('parley'),
})

type Variables = z.output<typeof variables>

function assemble(read: Variables): Config {
  const production = read.NODE_ENV === 'production'
  // A node with an auth setting may be reachable from the internet, so its limits are on even if NODE_ENV is not production.
  const guarded = authOf(read) !== 'development'
  return {
    production,
    host: read.HOST,
    port: read.PORT,
    redis: read.REDIS_URL === undefined ? 'embedded' : { urls: read.REDIS_URL },
    dynamodb: dynamodbOf(read),
    dynamodbClient: read.DYNAMODB_CLIENT,
    redisCommands: read.REDIS_COMMANDS,
    tables: { prefix: read.TABLE_PREFIX, create: read.CREATE_TABLES ?? read.DYNAMODB_ENDPOINT === undefined },
    redisPrefix: read.REDIS_PREFIX ?? read.TABLE_PREFIX,
    media: mediaOf(read),
    push: pushOf(read, guarded),
    auth: authOf(read),
    cursorSecret: read.CURSOR_SECRET ?? (read.AUTH_JWT_SECRET && deriveCursorSecret(read.AUTH_JWT_SECRET)),
    allowedOrigins: read.ALLOWED_ORIGINS,
    graphiql: read.GRAPHIQL ?? !guarded,
    // The explorer is of no use without.
    introspection: read.INTROSPECTION ?? (!guarded || read.GRAPHIQL === true),
    ...(read.PERSISTED_OPERATIONS && {
      persistedOperations: { documents: read.PERSISTED_OPERATIONS, only: read.PERSISTED_OPERATIONS_ONLY },
    }),
    traffic: trafficOf(read, guarded),
    groupQuotas: {
      groupsPerHour: read.GROUPS_PER_HOUR ?? 200,
      additionsPerHour: read.GROUP_ADDITIONS_PER_HOUR ?? 5000,
      changesPerHour: read.GROUP_CHANGES_PER_HOUR ?? 1000,
      chatsPerHour: read.CHATS_PER_HOUR ?? 1000,
    },
    dataDir: read.DATA_DIR,
    // At a terminal the first lines are for a person, and the rest only if something is wrong.
    logLevel: read.LOG_LEVEL ?? (production ? 'info' : 'warn'),
    drainDelayMs: read.DRAIN_DELAY_MS ?? (production ? drainDelayProductionMs : 0),
    ...(read.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && {
      tracing: { endpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/$/, ''), serviceName: read.OTEL_SERVICE_NAME },
    }),
  }
}

function dynamodbOf({ DYNAMODB_ENDPOINT: endpoint, AWS_REGION: region = anyRegion }: Variables): Config['dynamodb'] {
  if (endpoint === undefined) return 'embedded'
  return endpoint === 'aws' ? { service: 'aws', region } : { endpoint, region }
}

function mediaOf(read: Variables): Config['media'] {
  const { S3_BUCKET: bucket, S3_ENDPOINT: endpoint, AWS_REGION = anyRegion, S3_REGION: region = AWS_REGION } = read
  if (bucket === undefined) return read.NODE_ENV === 'production' ? 'none' : 'disk'
  return { bucket, region, ...(endpoint !== undefined && { endpoint }) }
}

function pushOf(read: Variables, guarded: boolean): PushSettings {
  const { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey, VAPID_SUBJECT: subject } = read
  const { APNS_KEY: key, APNS_KEY_ID: keyId, APNS_TEAM_ID: teamId, APNS_TOPIC: topic, APNS_SANDBOX: sandbox } = read
  const vapid = publicKey && privateKey && subject ? { publicKey, privateKey, subject } : undefined
  return {
    preview: read.PUSH_PREVIEW,
    log: !guarded,
    ...(!guarded && { privateEndpoints: true }),
    ...((vapid || !guarded) && { vapid: vapid ?? 'derived' }),
    ...(read.FCM_SERVICE_ACCOUNT && { fcm: read.FCM_SERVICE_ACCOUNT }),
    ...(key && keyId && teamId && topic && { apns: { key, keyId, teamId, topic, sandbox } }),
  }
}

/** At a desk there is no limit: whoever measures there wants to know what the node can do. */
function trafficOf(read: Variables, guarded: boolean): TrafficSettings {
  const perSecond = read.RATE_LIMIT_PER_SECOND ?? (guarded ? 500 : 0)
  const socketsMax = guarded ? 1000 : 0
  return {
    rate: perSecond === 0 ? undefined : { perSecond, burst: Math.max(1, read.RATE_LIMIT_BURST ?? 10 * perSecond) },
    places: {
      perUser: read.SOCKETS_PER_USER ?? socketsMax,
      subscriptionsPerUser: read.SUBSCRIPTIONS_PER_USER ?? (guarded ? 5000 : 0),
      perAddress: read.SOCKETS_PER_ADDRESS ?? socketsMax,
      uninitialised: 20_000,
      uninitialisedPerAddress: guarded ? 100 : 0,
    },
    sparesLoopback: {
      rate: read.RATE_LIMIT_PER_SECOND === undefined,
      perUser: read.SOCKETS_PER_USER === undefined,
      subscriptions: read.SUBSCRIPTIONS_PER_USER === undefined,
    },
    badTokensPerMinute: read.BAD_TOKENS_PER_MINUTE ?? (guarded ? 600 : 0),
    uploads: {
      perHour: read.UPLOADS_PER_HOUR ?? (guarded ? 1000 : 0),
      bytesPerHour: 2 ** 20 * (read.UPLOAD_MEGABYTES_PER_HOUR ?? (guarded ? 5000 : 0)),
    },
    trustedProxies: read.TRUSTED_PROXIES ?? 0,
  }
}

function authOf(read: Variables): Config['auth'] {
  if (read.AUTH_JWT_SECRET === undefined && read.AUTH_JWKS_URL === undefined) return 'development'
  return {
    ...(read.AUTH_JWT_SECRET && { secret: read.AUTH_JWT_SECRET }),
    ...(read.AUTH_JWKS_URL && { jwksUrl: read.AUTH_JWKS_URL }),
    ...(read.AUTH_ISSUER && { issuer: read.AUTH_ISSUER }),
    ...(read.AUTH_AUDIENCE && { audience: read.AUTH_AUDIENCE }),
  }
}

const isDevelopment = (given: Environment): boolean =>
  given.NODE_ENV !== 'production' && given.AUTH_JWT_SECRET === undefined && given.AUTH_JWKS_URL === undefined

/** What keeps a node in development mode from starting. */
const exposed = (given: Environment): string[] =>
  isDevelopment(given) && !flag.safeParse(given.DEVELOPMENT).data ? beyondLoopback(given).map(refusal) : []

/** What is needed but not there. Looks at what was given, well-formed or not. */
function missing(given: Environment): string[] {
  const production = given.NODE_ENV === 'production'
  const noSecret = given.AUTH_JWT_SECRET === undefined
  const noKey = noSecret && given.AUTH_JWKS_URL === undefined
  const vapid = ['VAPID_PUBLIC_KEY', 'VAPID_PRIVATE_KEY', 'VAPID_SUBJECT']
  const apns = ['APNS_KEY', 'APNS_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC']
  const rules: [boolean, string][] = [
    ...[vapid, apns].flatMap((names) => incomplete(given, names)),
    [production && given.REDIS_URL === undefined, 'REDIS_URL is missing: production embeds nothing'],
    [production && given.DYNAMODB_ENDPOINT === undefined, 'DYNAMODB_ENDPOINT is missing: production embeds nothing'],
    [production && noKey, 'AUTH_JWT_SECRET or AUTH_JWKS_URL is missing: production has no development mode'],
    [
      noSecret && !noKey && given.CURSOR_SECRET === undefined,
      'CURSOR_SECRET is missing: AUTH_JWKS_URL alone gives no secret to derive it from',
    ],
    [
      given.DYNAMODB_ENDPOINT === 'aws' && given.AWS_REGION === undefined,
      'AWS_REGION is missing: DYNAMODB_ENDPOINT is aws',
    ],
    [
      given.S3_BUCKET === undefined && (given.S3_ENDPOINT ?? given.S3_REGION) !== undefined,
      'S3_BUCKET is missing: S3_ENDPOINT and S3_REGION need one',
    ],
    [
      given.S3_BUCKET !== undefined && (given.S3_ENDPOINT ?? given.S3_REGION ?? given.AWS_REGION) === undefined,
      'S3_REGION or AWS_REGION is missing: without S3_ENDPOINT, S3_BUCKET is in a region of AWS',
    ],
    [
      given.PERSISTED_OPERATIONS_ONLY !== undefined && given.PERSISTED_OPERATIONS === undefined,
      'PERSISTED_OPERATIONS is missing: PERSISTED_OPERATIONS_ONLY is about the documents it names',
    ],
    [
      !production && noKey && (given.AUTH_ISSUER ?? given.AUTH_AUDIENCE) !== undefined,
      'AUTH_JWT_SECRET or AUTH_JWKS_URL is missing: AUTH_ISSUER and AUTH_AUDIENCE need one',
    ],
  ]
  return rules.flatMap(([broken, problem]) => (broken ? [problem] : []))
}

/** Of what is only good together. */
function incomplete(given: Environment, names: readonly string[]): [boolean, string][] {
  const isBegun = names.some((name) => given[name] !== undefined)
  const others = (name: string) => names.filter((each) => each !== name).join(', ')
  return names.map((name) => [
    isBegun && given[name] === undefined,
    `${name} is missing: it is needed with ${others(name)}`,
  ])
}

const describe = (issue: z.core.$ZodIssue): string => `${issue.path.join('.')} ${issue.message}`

/** An empty variable is an unset one, as in most files that set variables. */
const withoutBlanks = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ''))
