import type { UserId } from '../protocol/ids.ts'
import type { DevTokens } from '../transport/auth/auth.ts'
import { type Handler, send } from '../transport/http/exchange.ts'
import type { IsFamiliarHost } from '../transport/http/familiar-host.ts'
import { exampleTabs } from './graphiql-tabs.ts'
import { icon, logo } from './logo.ts'

export type GraphiQLOptions = {
  devTokens?: DevTokens
  isFamiliarHost: IsFamiliarHost
  exampleConversationId: (one: UserId, other: UserId) => string
  randomId: () => string
}

const alice = 'alice' as UserId
const bob = 'bob' as UserId

/** Everything is in the page itself; should a part of it ever try to reach another host, the browser refuses. */
const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' blob:",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The explorer for browsers, GraphQL for everybody else. */
export const createGraphiQL =
  (options: GraphiQLOptions) =>
  (otherwise: Handler): Handler =>
  async (exchange) => {
    const { request, response } = exchange
    if (!request.headers.accept?.includes('text/html')) return otherwise(exchange)
    response.setHeader('content-security-policy', policy)
    send(response, 200, 'text/html; charset=utf-8', await render(options, options.isFamiliarHost(request)))
  }

async function render(options: GraphiQLOptions, withTokens: boolean): Promise<string> {
  const { exampleConversationId, randomId } = options
  const devTokens = withTokens ? options.devTokens : undefined
  // Nine megabytes, needed by no node that does not serve the page.
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const tokens = {
    alice: (await devTokens?.issue(alice, 'Alice')) ?? '<a token for alice>',
    bob: (await devTokens?.issue(bob, 'Bob')) ?? '<a token for bob>',
  }
  const headersOf = (whom: 'alice' | 'bob') => JSON.stringify({ authorization: `Bearer ${tokens[whom]}` }, null, 2)
  const tabs = exampleTabs(exampleConversationId(alice, bob), `hello-${randomId().slice(0, 8)}`)
  const page = renderGraphiQL({
    title: 'Parley',
    logo,
    favicon: icon,
    endpoint: '/graphql',
    subscriptionsProtocol: 'WS',
    headers: headersOf('bob'),
    defaultEditorToolsVisibility: 'variables',
    defaultTabs: tabs.map(({ asWhom, query, variables }) => ({
      query,
      headers: headersOf(asWhom),
      variables: variables === undefined ? '' : JSON.stringify(variables, null, 2),
    })),
  })
  const additions = devTokens ? steadyTabs + refreshTokens(tokens) : steadyTabs
  return page.trimStart().replace('</head>', () => `${additions}</head>`)
}

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
