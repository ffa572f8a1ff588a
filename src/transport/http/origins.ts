import type { IncomingMessage } from 'node:http'
import type { Exchange } from './exchange.ts'

/** Which pages may use this server: its own, and those of ALLOWED_ORIGINS. */
export type Origins = {
  /** Browsers say which page has sent a request. Whoever does not is no browser, and needs no such protection. */
  allows(request: IncomingMessage): boolean
  /** Lets allowed pages read the answer. */
  expose(exchange: Exchange): void
  /** Answers a browser that asks before it sends. */
  preflight(exchange: Exchange, methods: string): void
}

const preflightMaxAgeSeconds = 600
/** What a page may read beside the body. */
const exposedHeaders = 'retry-after, x-request-id'

export function createOrigins(allowedOrigins: readonly string[]): Origins {
  const allowed = new Set(allowedOrigins)
  const isAllowed = (origin: string | undefined): origin is string =>
    origin !== undefined && allowed.has(origin.toLowerCase())

  function expose({ request, head }: Exchange): void {
    if (allowed.size > 0) head.push('vary', 'origin')
    const { origin } = request.headers
    if (isAllowed(origin))
      head.push('access-control-allow-origin', origin, 'access-control-expose-headers', exposedHeaders)
  }

  return {
    allows: (request) =>
      request.headers.origin === undefined
        ? isOwnPage(request)
        : isSameOrigin(request) || isAllowed(request.headers.origin),
    expose,
    preflight({ request, response }, methods) {
      if (isAllowed(request.headers.origin)) {
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

/** The address under which the client knows this server. Its scheme is the page's where there is one. */
export function ownOrigin(request: IncomingMessage): string {
  const { origin, host = '' } = request.headers
  if (origin !== undefined && isSameOrigin(request)) return new URL(origin).origin
  if (host !== last.host) last = { host, origin: originOf(host) }
  return last.origin
}

/** Nearly everybody comes by the same name, and to take a URL apart takes a while. */
let last = { host: 'localhost', origin: 'http://localhost' }

const originOf = (host: string): string =>
  /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`) ? new URL(`http://${host}`).origin : 'http://localhost'

/** Images and links send no Origin. An address somebody typed in comes from no page. */
function isOwnPage({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}

/** By host alone: behind a proxy that speaks TLS, the scheme is not known here. */
function isSameOrigin({ headers: { origin = '', host } }: IncomingMessage): boolean {
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  // A path, a user or a scheme without hosts: not what a browser calls an origin.
  if (!/^https?:$/.test(page.protocol) || page.origin !== origin.toLowerCase()) return false
  const own = `${page.protocol}//${host}`
  return URL.canParse(own) && page.host === new URL(own).host
}
