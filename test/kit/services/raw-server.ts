import { createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'

export type RawServer = Awaited<ReturnType<typeof startRawServer>>

/** Plays a peer that may break every rule: it is handed the connection with the first bytes of each request. */
export async function startRawServer(onRequest: (socket: Socket) => unknown) {
  const asked = new Set<Socket>()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('close', () => asked.delete(socket))
    socket.on('data', () => {
      asked.add(socket)
      onRequest(socket)
    })
  })
  return {
    ...(await listen(server)),
    /** Returns how many connections that brought a request are still open. */
    open: () => asked.size,
  }
}
