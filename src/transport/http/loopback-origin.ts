const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether a page was served by this machine, from any port, as those of a frontend's own development server are. */
export function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname, origin: written } = new URL(origin)
  // A path, a user or a trailing dot is not what a browser calls an origin.
  return /^https?:$/.test(protocol) && written === origin.toLowerCase() && loopbackHosts.has(hostname)
}
