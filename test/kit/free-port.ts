import { randomInt } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

// The range is below the one from which the system chooses ports, so that no connection and no `listen(0)` of another test file takes the port
// before it is used.
const range = [10_000, 32_000] as const

/**
 * Returns a free port, for servers that cannot choose one by themselves. Nobody else is given it until this process ends: a server takes a
 * second to listen, and one that is started again lets go of its port. Whoever got the same port would talk to the wrong server.
 */
export async function freePort([from, to]: readonly [number, number] = range): Promise<number> {
  for (;;) {
    const port = randomInt(from, to)
    const claim = createSocket('udp4').unref()
    if ((await isClaimed(claim, port)) && (await isFree(port))) return port
    claim.close()
  }
}

/** Takes the UDP port of the same number, which no server here needs. All processes see that it is taken, and it is free when this one ends. */
const isClaimed = (claim: Socket, port: number): Promise<boolean> =>
  isDone(once(claim.bind({ port, address: '127.0.0.1', exclusive: true }), 'listening'))

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  if (!(await isDone(once(server, 'listening')))) return false
  server.close()
  await once(server, 'close')
  return true
}

async function isDone(listening: Promise<unknown>): Promise<boolean> {
  try {
    await listening
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
}
