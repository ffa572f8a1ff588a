import { indexedDbStorage } from './storage/indexed-db-storage.ts'
import type { Storage } from './storage/storage.ts'

// The record of push notifications in a browser, shared by the page and its service worker. A browser has one push subscription for all
// of its users, so there is one record.
//
//   device     the deviceId that it registers with, generated once
//   owner      an Owner: the user it is registered for; absent while it is registered for no user
//   settled    [conversationId, seq][], latest use last: up to this seq a conversation needs no banner, because one was shown or
//              withdrawn. Emptied with each registration
//   wanted     the last choice of the user: true until push is on or has failed, false until it is switched on again

/** `page` is the URL of the page that registered. */
export type Owner = { userId: string; page: string }
export type Settled = [conversationId: string, seq: number][]
type PushRecord = { device?: string; owner?: Owner; settled?: Settled; wanted?: boolean }

let ours: Storage | undefined
export function pushStorage(): Storage {
  ours ??= indexedDbStorage('parley-push')
  return ours
}

export const readPushRecord = async (storage: Storage): Promise<PushRecord> => Object.fromEntries(await storage.load())

export const writePushRecord = (
  storage: Storage,
  changes: { [K in keyof PushRecord]: PushRecord[K] | undefined },
): Promise<void> => storage.write(new Map(Object.entries(changes)))

/** Messages from the service worker to its windows. `looking` carries a port for the answer, a WindowState. */
export type WorkerMessage =
  | { parley: 'looking' }
  | { parley: 'open'; conversationId: string }
  | { parley: 'resubscribed' }

/** The user of a window, and the conversation that it shows. */
export type WindowState = { userId: string; conversationId: string | undefined }
