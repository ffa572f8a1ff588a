import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryStorage } from '../../packages/client/src/index.ts'
import type { WindowState } from '../../packages/client/src/push-storage.ts'
import {
  handleNotificationClick,
  handlePush,
  handleSubscriptionChange,
  type WorkerOptions,
} from '../../packages/client/src/service-worker.ts'
import { brokenStorage, isDone, keptIn, settled } from './kit.ts'

// What the browser of test/demo/notifications.test.ts cannot be made to do.

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

type Window = { visible?: boolean; looking?: WindowState }

/** A worker's surroundings. A window without an answer gives none. */
function startWorker(windows: Window[] = [], given: WorkerOptions = {}) {
  const banners: { title: string; tag: string; data: unknown; close(): void }[] = []
  const heard: unknown[] = []
  const did: string[] = []
  const registration = {
    getNotifications: async ({ tag }: { tag: string }) => banners.filter((each) => each.tag === tag),
    async showNotification(title: string, { tag, data }: { tag: string; data?: unknown }) {
      const shown = { title, tag, data, close: () => void banners.splice(banners.indexOf(shown), 1) }
      banners.splice(0, banners.length, ...banners.filter((each) => each.tag !== tag), shown)
    },
    pushManager: { subscribe: async (options: object) => void did.push(`subscribed ${JSON.stringify(options)}`) },
  }
  const clients = {
    matchAll: async () =>
      windows.map(({ visible = true, looking }) => ({
        visibilityState: visible ? 'visible' : 'hidden',
        postMessage(message: unknown, [port]: MessagePort[] = []) {
          heard.push(message)
          if (looking) port?.postMessage(looking)
        },
        focus: async () => void did.push('focused'),
      })),
    openWindow: async (url: string) => void did.push(`opened ${url}`),
  }
  vi.stubGlobal('registration', registration)
  vi.stubGlobal('clients', clients)
  const options = { storage: memoryStorage(), ...given }
  /** Resolves when the browser may end the worker. */
  const during = (handle: (event: { waitUntil(work: Promise<unknown>): void }) => void) =>
    new Promise<unknown>((resolve) => handle({ waitUntil: resolve }))
  return {
    did,
    heard,
    storage: options.storage,
    push: (content: unknown) => during((event) => handlePush({ ...event, data: { json: () => content } }, options)),
    click: (data: unknown) =>
      during((event) =>
        handleNotificationClick(
          { ...event, notification: { data, close: () => undefined } as never as Notification },
          options,
        ),
      ),
    change: (event: object) => during((it) => handleSubscriptionChange({ ...it, ...event })),
    shown: () => banners.map(({ title }) => title),
  }
}

const banner = (seq: number, title = `m${seq}`) => ({ title, body: '', conversationId: 'dm_1', seq, tag: 'dm_1' })
const owner = { userId: 'bob', page: 'http://chat/?as=bob' }
const looking: WindowState = { userId: 'bob', conversationId: 'dm_1' }
const owned = async () => {
  const storage = memoryStorage()
  await storage.write(new Map([['owner', owner]]))
  return { storage }
}

it('a chat that is open in a window nobody sees has its banner', async () => {
  const seen = startWorker([{ looking }], await owned())
  await seen.push(banner(1))
  expect(seen.shown()).toEqual([])
  const unseen = startWorker([{ visible: false, looking }], await owned())
  await unseen.push(banner(1))
  expect(unseen.shown()).toEqual(['m1'])
})

it('a window that does not answer keeps nobody waiting for longer than a second', async () => {
  const { push, shown } = startWorker([{}], await owned())
  const done = push(banner(1))
  await vi.advanceTimersByTimeAsync(999)
  expect(await isDone(done)).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await done
  expect(shown()).toEqual(['m1'])
  expect(vi.getTimerCount()).toBe(0)
})

it('pushes that come at the same time are taken one after the other', async () => {
  const { push, shown, storage } = startWorker()
  await Promise.all([3, 1, 2].map((seq) => push(banner(seq))))
  expect(shown()).toEqual(['m3'])
  expect(await keptIn(storage)).toEqual({ settled: [['dm_1', 3]] })
})

it('without a storage there are banners all the same, and the newest stays', async () => {
  const warned = vi.spyOn(console, 'warn').mockReturnValue()
  const { push, shown } = startWorker([{ looking }], { storage: brokenStorage() })
  await push(banner(2))
  await push(banner(1))
  expect(shown()).toEqual(['m2'])
  await push({ withdraw: true, conversationId: 'dm_1', seq: 2, tag: 'dm_1' })
  expect(shown()).toEqual([])
  expect(warned).toHaveBeenCalled()
})

it('one that fails does not hold up the next', async () => {
  const { push, shown } = startWorker()
  vi.spyOn(registrationOf(), 'showNotification').mockRejectedValueOnce(new TypeError('not allowed'))
  await expect(push(banner(1))).rejects.toThrow('not allowed')
  await push(banner(1))
  expect(shown()).toEqual(['m1'])
})

it('it remembers the conversations of the last 500 banners', async () => {
  const { push, storage } = startWorker()
  for (let i = 0; i <= 500; i += 1) await push({ ...banner(1), conversationId: `dm_${i}`, tag: `dm_${i}` })
  await push({ ...banner(2), conversationId: 'dm_7', tag: 'dm_7' })
  const { settled: kept } = (await keptIn(storage)) as { settled: [string, number][] }
  expect(kept).toHaveLength(500)
  expect(kept[0]).toEqual(['dm_1', 1])
  expect(kept.at(-1)).toEqual(['dm_7', 2])
})

it('a click opens the page that registered, unless told where conversations are', async () => {
  const { click, did } = startWorker([], await owned())
  await click({ conversationId: 'dm_1', seq: 1 })
  const url = (id: string | undefined) => `/chats/${id}`
  const told = startWorker([{ looking: { ...looking, userId: 'alice' } }], { ...(await owned()), url })
  await told.click({ conversationId: 'dm_1', seq: 1 })
  const stranger = startWorker()
  await stranger.click(null)
  expect([...did, ...told.did, ...stranger.did]).toEqual([`opened ${owner.page}`, 'opened /chats/dm_1', 'opened /'])
})

it('a subscription that ends is made anew with the same key, and every window is told', async () => {
  const { change, did, heard } = startWorker([{}, { visible: false }])
  const oldSubscription = { options: { applicationServerKey: 'the key' } }
  await change({ oldSubscription })
  expect(did).toEqual(['subscribed {"userVisibleOnly":true,"applicationServerKey":"the key"}'])
  expect(heard).toEqual([{ parley: 'resubscribed' }, { parley: 'resubscribed' }])
  await change({ oldSubscription, newSubscription: {} })
  await change({})
  expect(did).toHaveLength(1)
  await settled()
})

const registrationOf = () => (globalThis as never as { registration: ServiceWorkerRegistration }).registration
