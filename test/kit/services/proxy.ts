import { connect, createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'

export type TcpProxy = Awaited<ReturnType<typeof startProxy>>

/** Proxies TCP in front of a server, which can be taken away in two ways. */
export async function startProxy(target: string) {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let mode: 'pass' | 'refuse' | 'stall' = 'pass'

  const server = createServer((client) => {
    open.add(client)
    client.on('error', () => client.destroy())
    client.on('close', () => open.delete(client))
    if (mode === 'refuse') return client.destroy()
    if (mode === 'stall') return
    const upstream = connect(Number(port), hostname)
    upstream.on('error', () => client.destroy())
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
    client.on('data', (chunk) => {
      if (mode === 'pass') upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (mode === 'pass') client.write(chunk)
    })
  })
  const { origin: url, stop } = await listen(server)

  const dropAll = () => {
    for (const socket of open) socket.destroy()
  }

  return {
    url,
    /** Closes connections at once. */
    refuse() {
      mode = 'refuse'
      dropAll()
    },
    /** Keeps connections open, and nothing comes back. */
    stall() {
      mode = 'stall'
    },
    pass() {
      mode = 'pass'
      dropAll()
    },
    stop,
  }
}
