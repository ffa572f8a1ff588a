import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.ts'
import type { UserId } from '../protocol/ids.ts'
import type { DevTokens } from '../transport/auth/auth.ts'
import { type Handler, send } from '../transport/http/exchange.ts'
import type { IsFamiliarHost } from '../transport/http/familiar-host.ts'
import { icon, logo } from './logo.ts'
import { warningOnPage } from './warning.ts'

const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Answers GET / in development mode: the page says what this is, and how to send the first message with one paste. */
export function createStartPageHandler(
  devTokens: DevTokens,
  isFamiliarHost: IsFamiliarHost,
  { graphiql, developmentWarning }: Pick<Config, 'graphiql' | 'developmentWarning'>,
): Handler {
  return async ({ request, response }) => {
    const token = isFamiliarHost(request)
      ? await devTokens.issue('alice' as UserId, { name: 'Alice' })
      : '&lt;a token&gt;'
    response.setHeader('content-security-policy', policy)
    send(response, 200, 'text/html; charset=utf-8', page(originOf(request), token, graphiql, developmentWarning))
  }
}

/** The host comes from the client and goes into a page, so only plain characters pass. */
const originOf = ({ headers: { host = '' } }: IncomingMessage): string =>
  `http://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}`

const page = (origin: string, token: string, graphiql: boolean, warning: string | undefined): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley</title>
<link rel="icon" href="${icon}">
<style>
  :root { color-scheme: light dark; --text: #1c2421; --soft: #5d6a65; --line: #d9e0dd; --box: #f4f7f5; --link: #1f6b5a; --page: #fff }
  @media (prefers-color-scheme: dark) {
    :root { --text: #e5ece9; --soft: #9aa8a2; --line: #2f3a36; --box: #1a221f; --link: #6fc7b1; --page: #121816 }
  }
  body { margin: 0 auto; max-width: 44rem; padding: 4rem 1.5rem; background: var(--page); color: var(--text); font: 1rem/1.6 system-ui, sans-serif }
  h1 { display: flex; align-items: center; gap: .6rem; margin: 0; font-size: 1.8rem }
  h2 { margin: 2.5rem 0 .5rem; font-size: 1.1rem }
  p { margin: .5rem 0 } .soft, td:last-child { color: var(--soft) } a { color: var(--link) }
  code, pre { font: .86rem/1.55 ui-monospace, monospace }
  pre { margin: .8rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--box); white-space: pre-wrap; overflow-wrap: anywhere }
  table { border-collapse: collapse } td { padding: .25rem 1.5rem .25rem 0; vertical-align: top }
</style>
</head>
<body>
<h1>${logo} Parley</h1>
<p class="soft">A chat backend as a GraphQL API: send, receive, history, ticks, offline catch-up.</p>
${warningOnPage(warning)}
${graphiql ? '<h2>Explore</h2>\n<p><a href="/graphql">Open GraphiQL</a>: six tabs walk you through a conversation between Alice and Bob.</p>' : ''}
<h2>Send the first message</h2>
<p>As Alice, to Bob. Run it twice: the second time it is a retry, and nothing is sent again.</p>
<pre>curl ${origin}/messages \\
  -H 'content-type: application/json' \\
  -H 'authorization: Bearer ${token}' \\
  -d '{"clientMessageId":"hello-1","to":{"userId":"bob"},"body":"Hello, Bob!"}'</pre>
<h2>Become somebody</h2>
<p>In development mode this node hands out tokens to anybody. It does so in no other mode.</p>
<pre>curl ${origin}/dev/token -d '{"userId":"carol","name":"Carol"}'</pre>
<h2>What is where</h2>
<table>
<tr><td><code>/graphql</code></td><td>GraphQL over HTTP, server-sent events and WebSocket</td></tr>
<tr><td><code>POST /messages</code></td><td>sending without GraphQL</td></tr>
<tr><td><a href="/healthz"><code>/healthz</code></a> <a href="/readyz"><code>/readyz</code></a></td><td>the process lives; it can serve</td></tr>
<tr><td><a href="/metrics"><code>/metrics</code></a></td><td>for Prometheus</td></tr>
</table>
</body>
</html>
`
