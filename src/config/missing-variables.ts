import type { Environment } from './variable-rules.ts'

/** The problems of variables that are needed because of others. Looks at what was given, well-formed or not. */
export function missingVariables(given: Environment): string[] {
  const production = given.NODE_ENV === 'production'
  const mayEmbed = !production || given.STORE === 'embedded'
  const noSecret = given.AUTH_JWT_SECRET === undefined
  const noKey = noSecret && given.AUTH_JWKS_URL === undefined
  const vapid = ['VAPID_PUBLIC_KEY', 'VAPID_PRIVATE_KEY', 'VAPID_SUBJECT']
  const apns = ['APNS_KEY', 'APNS_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC']
  const rules: [boolean, string][] = [
    ...[vapid, apns].flatMap((names) => incomplete(given, names)),
    [!mayEmbed && given.REDIS_URL === undefined, `REDIS_URL is missing: ${embedsNothing}`],
    [!mayEmbed && given.DYNAMODB_ENDPOINT === undefined, `DYNAMODB_ENDPOINT is missing: ${embedsNothing}`],
    [
      given.STORE === 'embedded' && given.DYNAMODB_ENDPOINT !== undefined,
      'DYNAMODB_ENDPOINT is set: STORE=embedded keeps everything in DATA_DIR instead',
    ],
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
      given.PRE_SEND_URL === undefined && (given.PRE_SEND_FAILURE ?? given.PRE_SEND_SECRET) !== undefined,
      'PRE_SEND_URL is missing: PRE_SEND_FAILURE and PRE_SEND_SECRET are about the backend that it names',
    ],
    [
      !production && noKey && (given.AUTH_ISSUER ?? given.AUTH_AUDIENCE ?? given.AUTH_USER_CLAIM) !== undefined,
      'AUTH_JWT_SECRET or AUTH_JWKS_URL is missing: AUTH_ISSUER, AUTH_AUDIENCE and AUTH_USER_CLAIM need one',
    ],
  ]
  return rules.flatMap(([broken, problem]) => (broken ? [problem] : []))
}

const embedsNothing =
  'production embeds nothing, unless STORE=embedded asks for one node that keeps everything in DATA_DIR'

/** The rules of variables that are of use only together. */
function incomplete(given: Environment, names: readonly string[]): [boolean, string][] {
  const isBegun = names.some((name) => given[name] !== undefined)
  const others = (name: string) => names.filter((each) => each !== name).join(', ')
  return names.map((name) => [
    isBegun && given[name] === undefined,
    `${name} is missing: it is needed with ${others(name)}`,
  ])
}
