import { z } from 'zod'
import type { Config } from './config.ts'
import { count, flag, hasProtocol, httpUrl, listOf } from './variable-rules.ts'

/** Embedded and local stores ask for a region but do nothing with it. */
const anyRegion = 'us-east-1'

export const storageVariables = z.object({
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
  STORE: z.enum(['embedded'], { error: 'must be embedded, or unset' }).optional(),
  DYNAMODB_CLIENT: z.enum(['lean', 'sdk'], { error: 'must be lean or sdk' }).default('lean'),
  REDIS_COMMANDS: z.enum(['lean', 'plain'], { error: 'must be lean or plain' }).default('lean'),
  REDIS_EVENTS: z
    .enum(['sharded', 'moving', 'plain'], { error: 'must be sharded, moving or plain' })
    .default('sharded'),
  AWS_REGION: z.string().optional(),
  TABLE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,128}$/, { error: 'must be 1 to 128 of A-Z a-z 0-9 _ . -' })
    .default('parley_'),
  // Redis would take a brace for the hash tag of a cluster.
  REDIS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,128}$/, { error: 'must be 1 to 128 of A-Z a-z 0-9 _ . : -' })
    .optional(),
  CREATE_TABLES: flag.optional(),
  SENDS_ROWS: z.enum(['full', 'short'], { error: 'must be full or short' }).default('full'),
  SENDS_TTL_DAYS: count(3650),
  S3_BUCKET: z.string().optional(),
  S3_ENDPOINT: httpUrl.optional(),
  S3_REGION: z.string().optional(),
})

type Read = z.output<typeof storageVariables>

export const storageSettings = (
  read: Read,
  production: boolean,
): Pick<
  Config,
  | 'redis'
  | 'redisCommands'
  | 'redisEvents'
  | 'redisPrefix'
  | 'dynamodb'
  | 'dynamodbClient'
  | 'tables'
  | 'claimRows'
  | 'media'
> => ({
  redis: read.REDIS_URL === undefined ? 'embedded' : { urls: read.REDIS_URL },
  redisCommands: read.REDIS_COMMANDS,
  redisEvents: read.REDIS_EVENTS,
  redisPrefix: read.REDIS_PREFIX ?? read.TABLE_PREFIX,
  dynamodb: dynamodbOf(read),
  dynamodbClient: read.DYNAMODB_CLIENT,
  tables: { prefix: read.TABLE_PREFIX, create: read.CREATE_TABLES ?? read.DYNAMODB_ENDPOINT === undefined },
  claimRows: { form: read.SENDS_ROWS, ttlDays: read.SENDS_TTL_DAYS ?? 0 },
  media: mediaOf(read, production && read.STORE !== 'embedded'),
})

export function dynamodbOf({
  DYNAMODB_ENDPOINT: endpoint,
  AWS_REGION: region = anyRegion,
}: Pick<Read, 'DYNAMODB_ENDPOINT' | 'AWS_REGION'>): Config['dynamodb'] {
  if (endpoint === undefined) return 'embedded'
  return endpoint === 'aws' ? { service: 'aws', region } : { endpoint, region }
}

function mediaOf(read: Read, manyNodes: boolean): Config['media'] {
  const { S3_BUCKET: bucket, S3_ENDPOINT: endpoint, AWS_REGION = anyRegion, S3_REGION: region = AWS_REGION } = read
  if (bucket === undefined) return manyNodes ? 'none' : 'disk'
  return { bucket, region, ...(endpoint !== undefined && { endpoint }) }
}
