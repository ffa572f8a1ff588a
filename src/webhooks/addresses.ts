import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from 'node:dns'
import { BlockList, isIP, type LookupFunction, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { InnerAddressError, isPublicAddress, isPublicName } from '../shared/public-address.ts'

// An endpoint's address comes from whoever has a service token. It must not lead a node into its own network: neither when it is set nor when it is
// connected to, as a name may lead elsewhere then. So the address that is connected to is the one that was looked at.

/** `loopback` allows this machine as well, for development. `any` is for operators whose endpoints are inside their network. */
export type AllowedAddresses = 'public' | 'loopback' | 'any'
/** Returns all addresses of a name. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void

const urlMax = 2048

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')
const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

export function createAddresses(allowed: AllowedAddresses, resolve: Resolve = dnsLookup) {
  const isAllowed = (address: string): boolean =>
    allowed === 'any' || isPublicAddress(address) || (allowed === 'loopback' && isLoopback(address))

  /** Resolves a name for a request, unless one of its addresses is not allowed. */
  const lookup: LookupFunction = (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      const [first] = found ?? []
      if (error || !first) return done(error ?? new Error('no address'), '', 4)
      if (!found.every(({ address }) => isAllowed(address)))
        return done(new InnerAddressError(`${hostname} is not on the internet`), '', 4)
      if (options.all) return done(null, found)
      done(null, first.address, first.family)
    })
  }

  /** Checks a host that is a number, which Node does not look up. */
  function assertHost(hostname: string): void {
    const host = hostOf(hostname)
    if (isIP(host) !== 0 && !isAllowed(host)) throw new InnerAddressError(`${host} is not on the internet`)
  }

  /** Checks the address that was connected to, however it was found. */
  function assertConnected({ remoteAddress = '' }: Socket): void {
    if (!isAllowed(remoteAddress)) throw new InnerAddressError(`${remoteAddress} is not on the internet`)
  }

  /** Returns why an endpoint must not be there; undefined if it may. */
  async function problemOf(text: string): Promise<string | undefined> {
    if (text.length > urlMax) return `must have at most ${urlMax} characters.`
    if (!URL.canParse(text)) return 'must be a URL, such as https://shop.example/parley.'
    const { protocol, username, password, hostname } = new URL(text)
    if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https://'
    if (username !== '' || password !== '') return 'must not hold a user or a password.'
    const host = hostOf(hostname)
    const isNumber = isIP(host) !== 0
    const isLocal = allowed === 'loopback' && (isNumber ? isLoopback(host) : /^localhost\.?$/i.test(host))
    if (protocol !== 'https:' && allowed !== 'any' && !isLocal) return 'must begin with https://'
    if (isNumber) return isAllowed(host) ? undefined : inside
    if (allowed !== 'any' && !isLocal && !isPublicName(host)) return inside
    return lookUp(host).then(
      () => undefined,
      (error: unknown) => (error instanceof InnerAddressError ? inside : 'names a host that cannot be found.'),
    )
  }

  const lookUp = promisify((host: string, done: (error: Error | null) => void) => lookup(host, { all: true }, done))

  return { lookup, assertHost, assertConnected, problemOf }
}

/** In a URL an IPv6 address stands in brackets. */
const hostOf = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

const inside = 'must be on the internet: this address leads into a private network.'
