import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Returns the address of the client, for limits. */
export type ClientAddress = (request: IncomingMessage) => string

/**
 * Each proxy adds the address it was called from to the right of X-Forwarded-For; what stands further left than our own proxies
 * wrote is the client's invention. If it does not hold that many addresses, no proxy of ours sent it: the address of the socket counts.
 */
export function createClientAddress(trustedProxies: number): ClientAddress {
  return (request) => {
    const own = networkOf(request.socket.remoteAddress ?? '')
    if (trustedProxies === 0) return own
    const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
    const address = withoutPort((forwarded.at(-trustedProxies) ?? '').trim())
    return isIP(address) ? networkOf(address) : own
  }
}

/** All requests of a proxy on the same machine, or of a developer, come from a loopback address. */
export const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1'

const withoutPort = (text: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text

/** Of an IPv6 address only the first 64 bits count: a client can choose the rest. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (mapped !== undefined) return mapped
  if (isIP(address) !== 6 || isLoopback(address)) return address
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groups(head).length - groups(tail).length)
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail ?? '')]
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
