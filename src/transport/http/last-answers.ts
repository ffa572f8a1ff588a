// Ends a server without dropping a request that its client may have begun.

import type { Server } from 'node:http'

/** Nobody waits if so many turns of the event loop have brought nobody. The first of them may end before the loop has looked. */
const quietTurns = 2
/** An endless rush of connections must not keep the listener open. */
const turnsMax = 1000

/** From now on each answer says `Connection: close`, so that proxies and clients do not keep its connection for a next request. */
export function closeAfterAnswers(server: Server): void {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
}

/**
 * Closes the listener when nobody waits in its queue: the system resets connections that it has made and that the process has not accepted.
 * Node accepts one in each turn of the event loop. What arrives in the instant between is refused like everything later, or reset.
 */
export async function closeListener(server: Server): Promise<void> {
  let quiet = 0
  const note = () => {
    quiet = 0
  }
  server.on('connection', note)
  for (let turn = 0; quiet < quietTurns && turn < turnsMax; turn += 1) {
    quiet += 1
    await new Promise(setImmediate)
  }
  server.off('connection', note)
  server.close()
}

/**
 * Closes connections that were kept for a next request, again and again until the function it returns is called. Each time right after the event loop has
 * read what has come: a connection whose next request is here already is not idle.
 */
export function sweepIdleConnections(server: Server, everyMs: number): () => void {
  const timer = setInterval(() => setImmediate(() => server.closeIdleConnections()), everyMs)
  return () => clearInterval(timer)
}
