// Who holds how many connections of this node. Per node: a shared count would have to outlive nodes that die.

import type { UserId } from '../../protocol/ids.ts'
import { isLoopback } from '../http/client-address.ts'
import type { Refusal, Refusals } from './refusals.ts'

/** 0: as many as there are. */
export type PlaceSettings = {
  perUser: number
  subscriptionsPerUser: number
  perAddress: number
  uninitialised: number
  uninitialisedPerAddress: number
}

export type Places = {
  /** For a socket at the door. Undefined: there are too many. */
  arrive(address: string): Place | undefined
  /** For a user's socket or stream. Returns how to give it back; undefined: there are too many. */
  seat(userId: UserId, address: string, reason: 'sockets_per_user' | 'streams_per_user'): (() => void) | undefined
  /** For a subscription of a user, whatever carries it. The same. */
  subscription(userId: UserId, address: string): (() => void) | undefined
}

export type Place = {
  /** The socket has said who it is. */
  initialised(): void
  leave(): void
}

export type SparesLoopback = { perUser: boolean; subscriptions: boolean }

export function createPlaces(settings: PlaceSettings, sparesLoopback: SparesLoopback, refusals: Refusals): Places {
  const users = createCounts(settings.perUser)
  const subscriptions = createCounts(settings.subscriptionsPerUser)
  const counts: DoorCounts = {
    addresses: createCounts(settings.perAddress),
    waiting: createCounts(settings.uninitialised),
    waitingByAddress: createCounts(settings.uninitialisedPerAddress),
  }

  function isFull(address: string, isCounted: boolean): Refusal | undefined {
    if (counts.waiting.isFull('')) return 'sockets_uninitialised'
    if (isCounted && counts.waitingByAddress.isFull(address)) return 'sockets_uninitialised'
    return isCounted && counts.addresses.isFull(address) ? 'sockets_per_address' : undefined
  }

  return {
    arrive(address) {
      const isCounted = !isLoopback(address)
      const full = isFull(address, isCounted)
      if (full === undefined) return new CountedPlace(counts, address, isCounted)
      refusals(full)
      return undefined
    },
    seat(userId, address, reason) {
      if (sparesLoopback.perUser && isLoopback(address)) return nothing
      if (!users.isFull(userId)) return takenFrom(users, userId)
      refusals(reason)
      return undefined
    },
    subscription(userId, address) {
      if (sparesLoopback.subscriptions && isLoopback(address)) return nothing
      if (!subscriptions.isFull(userId)) return takenFrom(subscriptions, userId)
      refusals('subscriptions_per_user')
      return undefined
    },
  }
}

const nothing = () => undefined

type DoorCounts = Readonly<Record<'addresses' | 'waiting' | 'waitingByAddress', Counts>>

/** One for each open socket, so it holds little. `isCounted`: also by its address. */
class CountedPlace implements Place {
  readonly #counts: DoorCounts
  readonly #address: string
  readonly #isCounted: boolean
  #state: 'waiting' | 'initialised' | 'left' = 'waiting'

  constructor(counts: DoorCounts, address: string, isCounted: boolean) {
    this.#counts = counts
    this.#address = address
    this.#isCounted = isCounted
    counts.waiting.take('')
    if (!isCounted) return
    counts.waitingByAddress.take(address)
    counts.addresses.take(address)
  }

  initialised(): void {
    if (this.#state !== 'waiting') return
    this.#state = 'initialised'
    this.#counts.waiting.giveBack('')
    if (this.#isCounted) this.#counts.waitingByAddress.giveBack(this.#address)
  }

  leave(): void {
    this.initialised()
    if (this.#state === 'left') return
    this.#state = 'left'
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

/** Returns how to give it back, which may be done twice. */
function takenFrom(counts: Counts, name: string): () => void {
  counts.take(name)
  let taken = true
  return () => {
    if (taken) counts.giveBack(name)
    taken = false
  }
}
