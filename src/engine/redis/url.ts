import type { RedisOptions } from 'ioredis'

/** One server, or the nodes of a cluster that are asked for the others. */
export type RedisAddress = { cluster: boolean; nodes: [RedisOptions, ...RedisOptions[]] }

/** Reads `redis://`, `rediss://` or `unix:///path/to.sock`; a comma-separated list is a cluster. */
export function parseRedisUrl(url: string): RedisAddress {
  const [first, ...rest] = url.split(',').filter((part) => part.trim() !== '')
  if (first === undefined) throw new Error('The Redis URL is empty.')
  return { cluster: url.includes(','), nodes: [parseNode(first.trim()), ...rest.map((part) => parseNode(part.trim()))] }
}

function parseNode(text: string): RedisOptions {
  if (!URL.canParse(text)) throw new Error(`Not a Redis URL: ${withoutPassword(text)}`)
  const url = new URL(text)
  if (url.protocol === 'unix:') return { path: decodeURIComponent(url.pathname) }
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') {
    throw new Error(`A Redis URL begins with redis://, rediss:// or unix://, not ${url.protocol}//`)
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1',
    port: Number(url.port || 6379),
    ...(url.username && { username: decodeURIComponent(url.username) }),
    ...(url.password && { password: decodeURIComponent(url.password) }),
    ...(url.pathname.length > 1 && { db: Number(url.pathname.slice(1)) }),
    ...(url.protocol === 'rediss:' && { tls: {} }),
  }
}

const withoutPassword = (text: string): string => text.replace(/:[^:@]*@/, ':***@')
