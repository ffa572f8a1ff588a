import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** Starts a server of any protocol on a free port of loopback. Its `stop` also ends the connections that are still open. */
export async function listen(server: Server): Promise<{ origin: string; stop(): Promise<void> }> {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
