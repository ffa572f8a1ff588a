import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Random } from '../../simulation/random.ts'
import { createRespSplitter } from './resp.ts'

// Every connection of a node to Redis goes through here. So commands can be sent to another server while the connections that listen stay
// where they are, and an event can be lost on its way without a broken connection that a node would notice.

type Link = { client: Socket; listens: boolean }

/** ioredis sends commands in lower case, each as an array of strings. */
const subscribes = Buffer.from('$9\r\nsubscribe\r\n')
const eventBegins = Buffer.from('*3\r\n$7\r\nmessage\r\n')

export async function startRedisProxy(random: Random, firstPort: number) {
  const links = new Set<Link>()
  const losses = new Set<{ probability: number; hits: number }>()
  let port = firstPort

  function isLost(value: Buffer): boolean {
    if (!value.subarray(0, eventBegins.length).equals(eventBegins)) return false
    for (const loss of losses) {
      if (!random.chance(loss.probability)) continue
      loss.hits += 1
      return true
    }
    return false
  }

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true })
    const link: Link = { client, listens: false }
    const split = createRespSplitter()
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
      link.listens ||= chunk.includes(subscribes)
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (!link.listens) return void client.write(chunk)
      for (const value of split(chunk)) if (!isLost(value)) client.write(value)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  function cut(isMeant: (link: Link) => boolean): void {
    for (const link of links) if (isMeant(link)) link.client.destroy()
  }

  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Loses this share of the events, and nothing else. The returned function ends that and returns how many were lost. */
    loseEvents(probability: number): () => number {
      const loss = { probability, hits: 0 }
      losses.add(loss)
      return () => {
        losses.delete(loss)
        return loss.hits
      }
    },
    /** Commands go to the server at this port from now on. Connections that listen stay where they are. */
    moveCommands(to: number): void {
      port = to
      cut(({ listens }) => !listens)
    },
    cutListeners: () => cut(({ listens }) => listens),
    cutAll: () => cut(() => true),
    async stop(): Promise<void> {
      cut(() => true)
      server.close()
      await once(server, 'close')
    },
  }
}
