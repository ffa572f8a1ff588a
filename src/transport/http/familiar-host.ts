import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { parseUrl } from '../../protocol/parse-url.ts'

/** Whether the client knows this server by a name that no stranger can have given it. */
export type IsFamiliarHost = (request: IncomingMessage) => boolean

/** These names are reserved or cannot be registered: an attacker who can point a name at any address has none of them. */
const ownTopLevels = ['localhost', 'local', 'internal', 'test']

/**
 * A page of evil.example may have its name point at 127.0.0.1 once it is loaded (DNS rebinding), and to the browser this server
 * is then its own. Where any caller gets a token, that must not be enough. Names without a dot are those of
 * containers and of machines nearby; a tunnel's name is familiar if ALLOWED_ORIGINS has it.
 */
export function createIsFamiliarHost(ownHost: string, allowedOrigins: readonly string[]): IsFamiliarHost {
  const known = new Set([ownHost.toLowerCase(), ...allowedOrigins.map((origin) => new URL(origin).hostname)])
  return ({ headers: { host } }) => {
    if (host === undefined) return true
    const name = parseUrl(`http://${host}`)?.hostname.replace(/\.$/, '')
    if (name === undefined) return false
    const labels = name.split('.')
    const isAddress = isIP(name.replace(/^\[|\]$/g, '')) !== 0
    return isAddress || labels.length === 1 || known.has(name) || ownTopLevels.includes(labels.at(-1) ?? '')
  }
}
