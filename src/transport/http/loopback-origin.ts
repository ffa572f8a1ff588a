import { parseUrl } from '../../protocol/parse-url.ts'

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether a page was served by this machine, from any port, as those of a frontend's own development server are. */
export function isLoopbackOrigin(origin: string): boolean {
  const page = parseUrl(origin)
  // A path, a user or a trailing dot is not what a browser calls an origin.
  if (!page || !/^https?:$/.test(page.protocol) || page.origin !== origin.toLowerCase()) return false
  return loopbackHosts.has(page.hostname)
}
