import type { IncomingMessage } from 'node:http'
import { parseUrl } from '../../protocol/parse-url.ts'
import type { Exchange } from './exchange.ts'
import { isLoopbackOrigin } from './loopback-origin.ts'

/** Decides which pages may use this server: its own, those of ALLOWED_ORIGINS, and in development mode those of this machine. */
export type Origins = {
  /** Browsers say which page has sent a request. A client that does not say so is no browser, and needs no such protection. */
  allows(request: IncomingMessage): boolean
  /** Lets allowed pages read the answer, or only those of this machine. */
  expose(exchange: Exchange, to: 'allowed' | 'loopback'): void
  /** Answers a browser that asks before it sends. */
  preflight(exchange: Exchange, methods: string): void
}

const preflightMaxAgeSeconds = 600
/** The headers of an answer that a page may read. */
const exposedHeaders = 'retry-after, x-request-id'

type OriginsOptions = {
  /** Whether pages of this machine are allowed, from any port. */
  allowLoopback?: boolean
  /** Called for each request of a page that is not allowed. */
  onRefused?: (origin: string) => void
}

export function createOrigins(
  allowedOrigins: readonly string[],
  { allowLoopback = false, onRefused = () => undefined }: OriginsOptions = {},
): Origins {
  const allowed = new Set(allowedOrigins)
  const isLoopbackPage = (origin: string | undefined): origin is string =>
    allowLoopback && origin !== undefined && isLoopbackOrigin(origin)
  const isAllowed = (origin: string | undefined): origin is string =>
    origin !== undefined && (allowed.has(origin.toLowerCase()) || isLoopbackPage(origin))

  function expose({ request, head }: Exchange, to: 'allowed' | 'loopback'): void {
    if (allowLoopback || (allowed.size > 0 && to === 'allowed')) head.push('vary', 'origin')
    const { origin } = request.headers
    const mayRead = to === 'allowed' ? isAllowed : isLoopbackPage
    if (mayRead(origin))
      head.push('access-control-allow-origin', origin, 'access-control-expose-headers', exposedHeaders)
  }

  return {
    allows(request) {
      const { origin } = request.headers
      if (origin === undefined) return isOwnPage(request)
      if (isSameOrigin(request) || isAllowed(origin)) return true
      onRefused(origin)
      return false
    },
    expose,
    preflight({ request, response }, methods) {
      const { origin } = request.headers
      // Pages are refused here and never send what they asked about.
      if (origin !== undefined && !isAllowed(origin) && !isSameOrigin(request)) onRefused(origin)
      if (response.hasHeader('access-control-allow-origin')) {
        response.setHeader('access-control-allow-methods', methods)
        response.setHeader(
          'access-control-allow-headers',
          request.headers['access-control-request-headers'] ?? 'authorization, content-type',
        )
        response.setHeader('access-control-max-age', preflightMaxAgeSeconds)
      }
      response.writeHead(204).end()
    },
  }
}

/** Returns the address under which the client knows this server. Its scheme is that of the page, if there is a page. */
export function ownOrigin(request: IncomingMessage): string {
  const { origin, host = '' } = request.headers
  if (origin !== undefined && isSameOrigin(request)) return new URL(origin).origin
  if (host !== last.host) last = { host, origin: originOf(host) }
  return last.origin
}

/** Nearly all clients use the same host name, and parsing a URL is slow. */
let last = { host: 'localhost', origin: 'http://localhost' }

const originOf = (host: string): string =>
  (/^[\w.:[\]-]+$/.test(host) && parseUrl(`http://${host}`)?.origin) || 'http://localhost'

/** Images and links send no Origin. An address that a user typed in comes from no page. */
function isOwnPage({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}

/** Compares the hosts alone: behind a proxy that speaks TLS, the scheme is not known here. */
function isSameOrigin({ headers: { origin = '', host } }: IncomingMessage): boolean {
  const page = parseUrl(origin)
  // A browser's origin has no path, no user, and a scheme with hosts.
  if (!page || !/^https?:$/.test(page.protocol) || page.origin !== origin.toLowerCase()) return false
  return page.host === parseUrl(`${page.protocol}//${host}`)?.host
}
