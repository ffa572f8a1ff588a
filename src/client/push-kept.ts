import { indexedDbStorage } from './storage/indexed-db-storage.ts'
import type { Storage } from './storage/storage.ts'

// What a browser keeps of its push notifications, where the page and its service worker both find it. A browser has one
// subscription, whoever uses it; so this is one for all of its users.
//
//   device     the deviceId it registers by, made once
//   owner      an Owner: for whom it is registered; absent while it is for nobody
//   settled    [conversationId, seq][], latest use last: up to where a conversation needs no banner any more, for it was shown or
//              withdrawn. Emptied with each registration
//   wanted     what it was last switched to: true until it is done or has failed, false until it is switched on again

/** `page`: the address they were at when they registered. */
export type Owner = { userId: string; page: string }
export type Settled = [conversationId: string, seq: number][]
type Kept = { device?: string; owner?: Owner; settled?: Settled; wanted?: boolean }

let ours: Storage | undefined
export function pushStorage(): Storage {
  ours ??= indexedDbStorage('parley-push')
  return ours
}

export const readKept = async (storage: Storage): Promise<Kept> => Object.fromEntries(await storage.load())

export const keep = (storage: Storage, changes: { [K in keyof Kept]: Kept[K] | undefined }): Promise<void> =>
  storage.write(new Map(Object.entries(changes)))

/** From the service worker to its windows. `looking` comes with a port for the answer. */
export type WorkerMessage =
  | { parley: 'looking' }
  | { parley: 'open'; conversationId: string }
  | { parley: 'resubscribed' }

/** Who is in this window, and what they have before them. */
export type Looking = { userId: string; conversationId: string | undefined }
