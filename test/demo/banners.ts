import { randomUUID } from 'node:crypto'
import type { Worker } from 'playwright-core'
import { expect } from 'vitest'
import type { Someone } from './kit.ts'
import { type ChatWindow, patience } from './window.ts'

// Pushes to the service worker of a window, and the banners it shows.

/** Returns what the worker shows, "title: body", sorted. It takes the lock; packages/client/src/banner-lock.ts says why. */
export const shownIn = ({ page }: ChatWindow): Promise<string[]> =>
  page.evaluate(async () => {
    const worker = await navigator.serviceWorker.ready
    const banners = await navigator.locks.request('parley-banners', () => worker.getNotifications())
    return banners.map(({ title, body }) => `${title}: ${body}`).sort()
  })

export const shows = (window: ChatWindow, expected: string[]) =>
  expect.poll(() => shownIn(window), patience).toEqual(expected)

/** What is shown when everything that was pushed is dealt with: the worker takes one after the other. */
export async function shownAtLast(window: ChatWindow, push: Push): Promise<string[]> {
  const marker = randomUUID()
  await push(banner(marker, 1, 'Marker', 'done'))
  await expect.poll(() => shownIn(window), patience).toContain('Marker: done')
  await push(withdrawal(marker, 1))
  await expect.poll(() => shownIn(window), patience).not.toContain('Marker: done')
  return shownIn(window)
}

export const banner = (conversationId: string, seq: number, title: string, body: string) => ({
  title,
  body,
  conversationId,
  seq,
  tag: conversationId,
})
export const withdrawal = (conversationId: string, seq: number) => ({
  withdraw: true,
  conversationId,
  seq,
  tag: conversationId,
})

type Push = Awaited<ReturnType<typeof pushTo>>

/** As if it came from the push service. */
export async function pushTo({ page }: ChatWindow) {
  const { origin } = new URL(page.url())
  await page.evaluate(() => navigator.serviceWorker.ready)
  const browser = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    browser.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      for (const { registrationId, scopeURL } of registrations) if (scopeURL === `${origin}/`) resolve(registrationId)
    })
  })
  await browser.send('ServiceWorker.enable')
  const registrationId = await registered
  return async (content: unknown): Promise<void> => {
    const data = typeof content === 'string' ? content : JSON.stringify(content)
    await browser.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
  }
}

/** What the browser keeps of its notifications, by this key. */
export const keptOf = ({ page }: ChatWindow, key: string): Promise<unknown> =>
  page.evaluate(
    (wanted) =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open('parley-push', 1)
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const reading = opening.result.transaction('kept').objectStore('kept').get(wanted)
          reading.onerror = () => reject(reading.error)
          reading.onsuccess = () => {
            opening.result.close()
            resolve(reading.result)
          }
        }
      }),
    key,
  )

/** As switching on leaves it. Windows that open later find no push service, and leave it so. */
export async function isOwner({ page }: ChatWindow, { id }: Someone): Promise<void> {
  await page.context().addInitScript(() => {
    PushManager.prototype.subscribe = () => Promise.reject(new DOMException('no push service', 'AbortError'))
  })
  await page.evaluate(
    (userId) =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('parley-push', 1)
        opening.onupgradeneeded = () => opening.result.createObjectStore('kept')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const writing = opening.result.transaction('kept', 'readwrite')
          writing.objectStore('kept').put({ userId, page: location.href }, 'owner')
          writing.oncomplete = () => {
            opening.result.close()
            resolve()
          }
        }
      }),
    id,
  )
}

const workerOf = async ({ page }: ChatWindow): Promise<Worker> =>
  page.context().serviceWorkers()[0] ?? page.context().waitForEvent('serviceworker')

/** Clicks a banner. Only a hand's click may raise or open a window; what would be is returned. */
export async function click(window: ChatWindow, conversationId: string): Promise<string> {
  return (await workerOf(window)).evaluate(async (tag) => {
    const { registration, clients, WindowClient, NotificationEvent } = globalThis as never as {
      registration: ServiceWorkerRegistration
      clients: object
      WindowClient: { prototype: object }
      NotificationEvent: new (name: string, init: object) => Event
    }
    const [notification] = await registration.getNotifications({ tag })
    let did = ''
    const value = (url: string) => {
      did = `opened ${url}`
    }
    Object.defineProperty(clients, 'openWindow', { configurable: true, value })
    Object.defineProperty(WindowClient.prototype, 'focus', {
      configurable: true,
      value(this: { url: string }) {
        did = `focused ${this.url}`
      },
    })
    const event = new NotificationEvent('notificationclick', { notification })
    const works: Promise<unknown>[] = []
    // The browser's own takes only events of its own.
    Object.defineProperty(event, 'waitUntil', { value: (work: Promise<unknown>) => works.push(work) })
    globalThis.dispatchEvent(event)
    await Promise.all(works)
    return did
  }, conversationId)
}
