import { BlockList, isIP } from 'node:net'

// A node without an auth setting hands out anybody's token at /dev/token. So it starts only on loopback, and only
// with stores on loopback, where no other machine reaches it. DEVELOPMENT=true overrules that.

type Environment = Readonly<Record<string, string | undefined>>

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** What is not on loopback, such as `HOST is 0.0.0.0`. Only names and hosts: URLs may hold passwords. */
export function beyondLoopback(given: Environment): string[] {
  const hosts: [setting: string, host: string | undefined][] = [
    ['HOST', given.HOST],
    ...(given.REDIS_URL ?? '').split(',').map((url): [string, string | undefined] => ['REDIS_URL', hostOf(url)]),
    ['DYNAMODB_ENDPOINT', hostOf(given.DYNAMODB_ENDPOINT)],
    ['S3_BUCKET', given.S3_BUCKET === undefined ? undefined : (hostOf(given.S3_ENDPOINT) ?? 'aws')],
  ]
  return hosts.flatMap(([setting, host]) => (host === undefined || isLoopback(host) ? [] : [`${setting} is ${host}`]))
}

/** Why a node without an auth setting does not start. */
export const refusal = (beyond: string): string =>
  `${beyond}: a node without AUTH_JWT_SECRET and AUTH_JWKS_URL gives everybody who can reach it anybody's token, so it starts only on ` +
  'loopback and beside backends on loopback. Set one of the two; or use 127.0.0.1; or set DEVELOPMENT=true if this is what you want'

/** What is said in the log, at the terminal and on the start page where DEVELOPMENT=true has overruled that. */
export const warning = (beyond: readonly string[]): string =>
  `Development mode is open to others (${beyond.join(', ')}): everybody who can reach this node gets anybody's token from /dev/token. ` +
  'Set AUTH_JWT_SECRET or AUTH_JWKS_URL before anybody uses it.'

/** Undefined where there is none to judge: unset, malformed, or a socket in the file system. */
function hostOf(url: string | undefined): string | undefined {
  const text = url?.trim() ?? ''
  if (text === 'aws') return text
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname } = new URL(text)
  return protocol === 'unix:' || hostname === '' ? undefined : hostname
}

function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  const version = isIP(name)
  if (version !== 0) return loopback.check(name, version === 6 ? 'ipv6' : 'ipv4')
  return name === 'localhost' || name.endsWith('.localhost')
}
