import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export type RawServer = Awaited<ReturnType<typeof startRawServer>>

/** A peer that may break every rule: it is handed the connection with the first bytes of each request. */
export async function startRawServer(onRequest: (socket: Socket) => unknown) {
  const sockets = new Set<Socket>()
  const asked = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      asked.delete(socket)
    })
    socket.on('data', () => {
      asked.add(socket)
      onRequest(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How many connections that brought a request are still open. */
    open: () => asked.size,
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
