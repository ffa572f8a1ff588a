// Limits how many connections each user and each address has on this node. The counts are per node: a shared count would have to outlive nodes
// that die.

import type { UserId } from '../../protocol/ids.ts'
import { isLoopback } from '../http/client-address.ts'
import type { Refusal, Refusals } from './refusals.ts'

/** 0 means no limit. */
export type ConnectionLimitSettings = {
  perUser: number
  subscriptionsPerUser: number
  perAddress: number
  uninitialised: number
  uninitialisedPerAddress: number
}

export type ConnectionLimits = {
  /** Counts a socket that asks to be upgraded. Returns undefined if there are too many. */
  acquireSocket(address: string): ConnectionSlot | undefined
  /** Counts a socket or a stream of a user. Returns the function that releases it, or undefined if there are too many. */
  acquireForUser(
    userId: UserId,
    address: string,
    reason: 'sockets_per_user' | 'streams_per_user',
  ): (() => void) | undefined
  /** Counts a subscription of a user, over any transport. Returns the same as `acquireForUser`. */
  acquireSubscription(userId: UserId, address: string): (() => void) | undefined
}

export type ConnectionSlot = {
  /** Called when the client has said who it is: the socket no longer counts as uninitialised. */
  initialised(): void
  release(): void
}

export type SparesLoopback = { perUser: boolean; subscriptions: boolean }

export function createConnectionLimits(
  settings: ConnectionLimitSettings,
  sparesLoopback: SparesLoopback,
  refusals: Refusals,
): ConnectionLimits {
  const users = createCounts(settings.perUser)
  const subscriptions = createCounts(settings.subscriptionsPerUser)
  const counts: SocketCounts = {
    addresses: createCounts(settings.perAddress),
    uninitialised: createCounts(settings.uninitialised),
    uninitialisedByAddress: createCounts(settings.uninitialisedPerAddress),
  }

  function isFull(address: string, isCounted: boolean): Refusal | undefined {
    if (counts.uninitialised.isFull('')) return 'sockets_uninitialised'
    if (isCounted && counts.uninitialisedByAddress.isFull(address)) return 'sockets_uninitialised'
    return isCounted && counts.addresses.isFull(address) ? 'sockets_per_address' : undefined
  }

  return {
    acquireSocket(address) {
      const isCounted = !isLoopback(address)
      const full = isFull(address, isCounted)
      if (full === undefined) return new CountedSlot(counts, address, isCounted)
      refusals(full)
      return undefined
    },
    acquireForUser(userId, address, reason) {
      if (sparesLoopback.perUser && isLoopback(address)) return notCounted
      if (!users.isFull(userId)) return acquireFrom(users, userId)
      refusals(reason)
      return undefined
    },
    acquireSubscription(userId, address) {
      if (sparesLoopback.subscriptions && isLoopback(address)) return notCounted
      if (!subscriptions.isFull(userId)) return acquireFrom(subscriptions, userId)
      refusals('subscriptions_per_user')
      return undefined
    },
  }
}

const notCounted = () => undefined

type SocketCounts = Readonly<Record<'addresses' | 'uninitialised' | 'uninitialisedByAddress', Counts>>

/** There is one for each open socket, so it holds little. `isCounted` says whether it also counts for its address. */
class CountedSlot implements ConnectionSlot {
  readonly #counts: SocketCounts
  readonly #address: string
  readonly #isCounted: boolean
  #state: 'uninitialised' | 'initialised' | 'released' = 'uninitialised'

  constructor(counts: SocketCounts, address: string, isCounted: boolean) {
    this.#counts = counts
    this.#address = address
    this.#isCounted = isCounted
    counts.uninitialised.take('')
    if (!isCounted) return
    counts.uninitialisedByAddress.take(address)
    counts.addresses.take(address)
  }

  initialised(): void {
    if (this.#state !== 'uninitialised') return
    this.#state = 'initialised'
    this.#counts.uninitialised.giveBack('')
    if (this.#isCounted) this.#counts.uninitialisedByAddress.giveBack(this.#address)
  }

  release(): void {
    this.initialised()
    if (this.#state === 'released') return
    this.#state = 'released'
    if (this.#isCounted) this.#counts.addresses.giveBack(this.#address)
  }
}

type Counts = {
  isFull(name: string): boolean
  take(name: string): void
  giveBack(name: string): void
}

function createCounts(max: number): Counts {
  const counts = new Map<string, number>()
  return {
    isFull: (name) => max > 0 && (counts.get(name) ?? 0) >= max,
    take: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    giveBack(name) {
      const rest = (counts.get(name) ?? 1) - 1
      if (rest === 0) counts.delete(name)
      else counts.set(name, rest)
    },
  }
}

/** Returns the function that gives it back. Calling that twice gives it back once. */
function acquireFrom(counts: Counts, name: string): () => void {
  counts.take(name)
  let taken = true
  return () => {
    if (taken) counts.giveBack(name)
    taken = false
  }
}
