import type { DevTokens } from '../transport/auth/auth.ts'
import type { IsFamiliarHost } from '../transport/http/familiar-host.ts'
import type { Routes } from '../transport/http/http.ts'
import { createDevTokenHandler } from './dev-token.ts'
import { createStartPageHandler } from './start-page.ts'

type DevRoutesOptions = {
  devTokens: DevTokens
  isFamiliarHost: IsFamiliarHost
  config: Parameters<typeof createStartPageHandler>[2]
  /** The demo page, which takes the place of the start page. */
  demo?: Routes
}

/** Makes the routes that a node serves beside its API in development mode, and only there. */
export const createDevRoutes = ({ devTokens, isFamiliarHost, config, demo }: DevRoutesOptions): Routes => ({
  '/': { GET: createStartPageHandler(devTokens, isFamiliarHost, config) },
  '/dev/token': { POST: createDevTokenHandler(devTokens, isFamiliarHost), forLoopbackPages: true },
  ...demo,
})
