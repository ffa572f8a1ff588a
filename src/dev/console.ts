import type { Route, Routes } from '../transport/http/http.ts'
import { builtDirectories, findBuiltPage } from './built-page.ts'
import { withWarning } from './warning.ts'

type ConsoleOptions = {
  /** Whether the page may offer to sign in with a token of POST /dev/token. */
  devTokens: boolean
  developmentWarning?: string | undefined
}

/** Returns the routes of the console for people. It holds no data: what it shows it asks the admin API for, with the token that somebody pastes. */
export async function findConsole(
  { devTokens, developmentWarning }: ConsoleOptions,
  directories = builtDirectories('console'),
): Promise<Routes> {
  const warn = withWarning(developmentWarning)
  const complete = (html: string) => (devTokens ? warn(html).replace('<body>', '<body data-dev-tokens>') : warn(html))
  const routes = await findBuiltPage({ directories, path: '/admin', complete })
  return routes['/admin'] ? { ...routes, '/admin/': toAdmin } : routes
}

/** People type it either way. */
const toAdmin: Route = {
  GET: ({ response }) => void response.writeHead(308, { location: '/admin' }).end(),
}
