import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { BlockList, isIP } from 'node:net'

// The address of a browser's push service comes from the browser, so it is untrusted. It must not lead a node into its own network.

const inner = new BlockList()
const inner4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]
/** BlockList itself treats those that are mapped from an IPv4 address as that address. Those of tunnels and translators hold one too. */
const inner6: [string, number][] = [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]
for (const [net, bits] of inner4) inner.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of inner6) inner.addSubnet(net, bits, 'ipv6')

export class InnerAddressError extends Error {}

export const isPublicAddress = (address: string): boolean =>
  isIP(address) !== 0 && !inner.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Whether this could be the name of a host on the internet. `publicLookup` checks what it resolves to. */
export function isPublicName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  if (isIP(name) !== 0 || name.startsWith('[')) return false
  return name.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa|lan|intranet)$/i.test(name)
}

type Done = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/** Resolves a name for a request, unless it leads inside. The address it answers is the one that is connected to. */
export function publicLookup(hostname: string, options: LookupOptions, done: Done): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, [])
    const wrong = addresses.find(({ address }) => !isPublicAddress(address))
    const [first] = addresses
    if (wrong || !first) return done(new InnerAddressError(`${hostname} is not on the internet`), [])
    if (options.all) return done(null, addresses)
    done(null, first.address, first.family)
  })
}
