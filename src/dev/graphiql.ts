import { createHash } from 'node:crypto'
import type { UserId } from '../protocol/ids.ts'
import type { DevTokens } from '../transport/auth/auth.ts'
import type { Handler } from '../transport/http/exchange.ts'
import type { IsFamiliarHost } from '../transport/http/familiar-host.ts'
import type { Routes } from '../transport/http/http.ts'
import { createCompressed, sendCompressed } from './compressed.ts'
import { type Asset, type GraphiQLParts, loadGraphiQLParts, scriptPath, stylePath } from './graphiql-parts.ts'
import { exampleTabs } from './graphiql-tabs.ts'
import { icon, logo } from './logo.ts'

type GraphiQLOptions = {
  devTokens?: DevTokens
  isFamiliarHost: IsFamiliarHost
  exampleConversationId: (one: UserId, other: UserId) => string
}

export type GraphiQL = {
  /** Shows GraphiQL to browsers; every other client gets GraphQL. */
  page(otherwise: Handler): Handler
  /** What the page loads. */
  routes: Routes
}

const alice = 'alice' as UserId
const bob = 'bob' as UserId

/** Everything comes from this server; should a part of it ever try to reach another host, the browser refuses. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline' blob:",
  'worker-src blob:',
  "style-src 'self' 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function createGraphiQL(options: GraphiQLOptions): GraphiQL {
  let loaded: Promise<GraphiQLParts> | undefined
  const load = () => {
    loaded ??= loadGraphiQLParts('Parley', icon)
    return loaded
  }

  /** One URL has one content for ever, if it is the one that the page names. */
  const serve =
    (assetOf: (parts: GraphiQLParts) => Asset, contentType: string): Handler =>
    async ({ request, response }) => {
      const { url, content } = assetOf(await load())
      sendCompressed(response, await content(request.headers['accept-encoding']), {
        'content-type': contentType,
        'cache-control': request.url === url ? 'public, max-age=31536000, immutable' : 'no-cache',
      })
    }

  return {
    page: (otherwise) => async (exchange) => {
      const { request, response } = exchange
      if (!request.headers.accept?.includes('text/html')) return otherwise(exchange)
      const page = await render(await load(), options, options.isFamiliarHost(request))
      const etag = `"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"`
      // It may hold tokens, so that no proxy may keep it.
      const headers = { 'content-security-policy': policy, 'cache-control': 'private, no-cache', etag }
      if (request.headers['if-none-match'] === etag) {
        response.writeHead(304, { ...headers, vary: 'accept, accept-encoding' }).end()
        return
      }
      sendCompressed(response, await createCompressed(page)(request.headers['accept-encoding']), {
        ...headers,
        'content-type': 'text/html; charset=utf-8',
      })
    },
    routes: {
      [scriptPath]: { GET: serve(({ script }) => script, 'text/javascript; charset=utf-8') },
      [stylePath]: { GET: serve(({ style }) => style, 'text/css; charset=utf-8') },
    },
  }
}

/** In the place of a clientMessageId. */
const freshId = 'hello-fresh-id'

async function render(parts: GraphiQLParts, options: GraphiQLOptions, withTokens: boolean): Promise<string> {
  const { exampleConversationId } = options
  const devTokens = withTokens ? options.devTokens : undefined
  const tokens = {
    alice: (await devTokens?.issue(alice, { name: 'Alice' })) ?? '<a token for alice>',
    bob: (await devTokens?.issue(bob, { name: 'Bob' })) ?? '<a token for bob>',
  }
  const headersOf = (whom: 'alice' | 'bob') => JSON.stringify({ authorization: `Bearer ${tokens[whom]}` }, null, 2)
  const shown = {
    title: 'Parley',
    logo,
    favicon: icon,
    endpoint: '/graphql',
    subscriptionsProtocol: 'WS',
    headers: headersOf('bob'),
    defaultEditorToolsVisibility: 'variables',
    defaultTabs: exampleTabs(exampleConversationId(alice, bob), freshId).map(({ asWhom, query, variables }) => ({
      query,
      headers: headersOf(asWhom),
      variables: variables === undefined ? '' : JSON.stringify(variables, null, 2),
    })),
  }
  const additions = devTokens ? steadyTabs + refreshTokens(tokens) : steadyTabs
  return parts.pageWith(additions, withFreshIds(JSON.stringify(shown)))
}

/** The browser makes the clientMessageId: one that the page held would make the first send a retry of an earlier visitor's. */
const withFreshIds = (options: string): string =>
  `JSON.parse(${JSON.stringify(options)}.replaceAll('${freshId}', 'hello-' + crypto.getRandomValues(new Uint32Array(1))[0].toString(36)))`

/** GraphiQL 5 moves a tab aside the moment it is pressed, so that the first click on it hits nothing. */
const steadyTabs = '<style>.graphiql-tab { transform: none !important }</style>\n'

/** GraphiQL keeps tabs between visits, and with them tokens that may have expired: today's take their place. */
const refreshTokens = (tokens: Record<string, string>): string => `<script>
  {
    const tokens = ${JSON.stringify(tokens)}
    const fresh = (token, claims) => tokens[JSON.parse(atob(claims.replace(/-/g, '+').replace(/_/g, '/'))).sub] ?? token
    for (const key of ['graphiql:tabState', 'graphiql:headers']) {
      const kept = localStorage.getItem(key)
      if (kept) localStorage.setItem(key, kept.replace(/eyJ[\\w-]+\\.([\\w-]+)\\.[\\w-]+/g, fresh))
    }
  }
</script>
`
