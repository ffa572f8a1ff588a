// Who holds how many connections of this node. Per node: a shared count would have to outlive nodes that die.

import type { UserId } from '../protocol/ids.ts'
import { isLoopback } from './client-address.ts'
import type { Refusal, Refusals } from './refusals.ts'

/** 0: as many as there are. */
export type PlaceSettings = {
  perUser: number
  perAddress: number
  uninitialised: number
  uninitialisedPerAddress: number
}

export type Places = {
  /** For a socket at the door. Undefined: there are too many. */
  arrive(address: string): Place | undefined
  /** For a user's socket or stream. Returns how to give it back; undefined: there are too many. */
  seat(userId: UserId, address: string, reason: 'sockets_per_user' | 'streams_per_user'): (() => void) | undefined
}

export type Place = {
  /** The socket has said who it is. */
  initialised(): void
  leave(): void
}

export function createPlaces(settings: PlaceSettings, sparesLoopback: boolean, refusals: Refusals): Places {
  const users = createCounts(settings.perUser)
  const addresses = createCounts(settings.perAddress)
  const waiting = createCounts(settings.uninitialised)
  const waitingByAddress = createCounts(settings.uninitialisedPerAddress)

  return {
    arrive(address) {
      const wanted: [Counts, string, Refusal][] = [[waiting, '', 'sockets_uninitialised']]
      if (!isLoopback(address)) {
        wanted.push([waitingByAddress, address, 'sockets_uninitialised'], [addresses, address, 'sockets_per_address'])
      }
      const full = wanted.find(([counts, name]) => counts.isFull(name))
      if (full) {
        refusals(full[2])
        return undefined
      }
      const [fromWaiting, fromWaitingByAddress, fromAddress] = wanted.map(([counts, name]) => counts.take(name))
      const initialised = () => {
        fromWaiting?.()
        fromWaitingByAddress?.()
      }
      return {
        initialised,
        leave() {
          initialised()
          fromAddress?.()
        },
      }
    },
    seat(userId, address, reason) {
      if (sparesLoopback && isLoopback(address)) return () => undefined
      if (!users.isFull(userId)) return users.take(userId)
      refusals(reason)
      return undefined
    },
  }
}

type Counts = {
  isFull(name: string): boolean
  /** Returns how to give it back, which may be done twice. */
  take(name: string): () => void
}

function createCounts(max: number): Counts {
  const counts = new Map<string, number>()
  return {
    isFull: (name) => max > 0 && (counts.get(name) ?? 0) >= max,
    take(name) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      let taken = true
      return () => {
        if (!taken) return
        taken = false
        const rest = (counts.get(name) ?? 1) - 1
        if (rest === 0) counts.delete(name)
        else counts.set(name, rest)
      }
    },
  }
}
