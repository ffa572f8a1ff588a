import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

// The nodes of a Redis Cluster talk to each other over a port of its own. Each of them tells the others to come through such a proxy, so that
// the talk between two of them can be cut while both go on answering their clients.

/** The header of a packet names its sender, in 40 letters from this byte on. */
const senderAt = 40
const senderEnd = 80

/** `isCut` is asked with the id of the node that comes. */
export async function startBusProxy(busPort: number, isCut: (sender: string) => boolean) {
  const links = new Set<{ sender: string; client: Socket }>()
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: busPort, host: '127.0.0.1', noDelay: true })
    const link = { sender: '', client }
    links.add(link)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        links.delete(link)
        other.destroy()
      })
    }
    client.on('data', (chunk) => {
      if (link.sender === '' && chunk.length >= senderEnd) link.sender = chunk.toString('latin1', senderAt, senderEnd)
      if (isCut(link.sender)) client.destroy()
      else upstream.write(chunk)
    })
    upstream.on('data', (chunk) => void client.write(chunk))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    /** Ends the links that are cut now. */
    enforce(): void {
      for (const { sender, client } of links) if (isCut(sender)) client.destroy()
    },
    async stop(): Promise<void> {
      for (const { client } of links) client.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
