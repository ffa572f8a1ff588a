import { BlockList, isIP } from 'node:net'
import type { Environment } from './variable-rules.ts'

// A node without an auth setting hands out tokens of every user at /dev/token. So it starts only on loopback, and only
// with stores on loopback, where no other machine reaches it. DEVELOPMENT=true overrules that.

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Names the settings that are not on loopback, such as `HOST is 0.0.0.0`. It shows hosts and no URLs, which may hold passwords. */
export function beyondLoopback(given: Environment): string[] {
  const hosts: [setting: string, host: string | undefined][] = [
    ['HOST', given.HOST],
    ...(given.REDIS_URL ?? '').split(',').map((url): [string, string | undefined] => ['REDIS_URL', hostOf(url)]),
    ['DYNAMODB_ENDPOINT', hostOf(given.DYNAMODB_ENDPOINT)],
    ['S3_BUCKET', given.S3_BUCKET === undefined ? undefined : (hostOf(given.S3_ENDPOINT) ?? 'aws')],
  ]
  return hosts.flatMap(([setting, host]) =>
    host === undefined || isLoopbackHost(host) ? [] : [`${setting} is ${host}`],
  )
}

/** Says why a node without an auth setting does not start. */
export const refusal = (beyond: string): string =>
  `${beyond}: a node without AUTH_JWT_SECRET and AUTH_JWKS_URL gives everybody who can reach it anybody's token, so it starts only on ` +
  'loopback and beside backends on loopback. Set one of the two; or use 127.0.0.1; or set DEVELOPMENT=true if this is what you want'

/** The log, the terminal and the start page say this where DEVELOPMENT=true has overruled the refusal. */
export const warning = (beyond: readonly string[]): string =>
  `Development mode is open to others (${beyond.join(', ')}): everybody who can reach this node gets anybody's token from /dev/token. ` +
  'Set AUTH_JWT_SECRET or AUTH_JWKS_URL before anybody uses it.'

/** Returns undefined where there is no host to judge: the URL is unset, malformed, or a socket in the file system. */
function hostOf(url: string | undefined): string | undefined {
  const text = url?.trim() ?? ''
  if (text === 'aws') return text
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname } = new URL(text)
  return protocol === 'unix:' || hostname === '' ? undefined : hostname
}

export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  const version = isIP(name)
  if (version !== 0) return loopback.check(name, version === 6 ? 'ipv6' : 'ipv4')
  return name === 'localhost' || name.endsWith('.localhost')
}
