import { withBannerLock } from './banner-lock.ts'
import {
  type Owner,
  pushStorage,
  readPushRecord,
  type Settled,
  type WindowState,
  type WorkerMessage,
  writePushRecord,
} from './push-storage.ts'
import type { Storage } from './storage/storage.ts'

// Service workers import this as `@parley/client/service-worker`. It shows one banner for each conversation, with its latest message.

export type WorkerOptions = {
  icon?: string
  /** A monochrome image for the status bar of phones. */
  badge?: string
  /** The title for a push without content. Defaults to "New message". */
  title?: string
  /** Returns the URL that a click opens while the user has no window. Defaults to the page that registered. */
  url?: (conversationId: string | undefined, owner: Owner | undefined) => string
  /** Must be the storage that `@parley/client/push` uses. */
  storage?: Storage
}

/** Adds all three handlers below. Call it while the worker's script runs: browsers accept no listener later. */
export function listenForPush(options: WorkerOptions = {}): void {
  const worker = scope()
  worker.addEventListener('push', (event) => handlePush(event, options))
  worker.addEventListener('notificationclick', (event) => handleNotificationClick(event, options))
  worker.addEventListener('pushsubscriptionchange', handleSubscriptionChange)
}

/** Shows a banner, unless a window shows the conversation or a newer banner was shown. A push that withdraws closes the banner. */
export function handlePush(event: PushEventLike, options: WorkerOptions = {}): void {
  event.waitUntil(withBannerLock(() => receive(contentOf(event.data), options)))
}

/** Focuses the window that shows the conversation. Otherwise any window of the user opens it, or else a new window does. */
export function handleNotificationClick(event: NotificationEventLike, options: WorkerOptions = {}): void {
  event.notification.close()
  event.waitUntil(openChat(Object(event.notification.data).conversationId, options))
}

/** Subscribes again. An open window, or the next one, registers it with the server: only a window has a signed-in user. */
export function handleSubscriptionChange(event: SubscriptionChangeEventLike): void {
  event.waitUntil(resubscribe(event))
}

type Content = { conversationId: string; seq: number } & ({ withdraw: true } | { title: string; body: string })

/** The worker recognises late pushes for this many conversations. */
const settledMax = 500
/** A window that does not answer within this time counts as not in use. */
const answerWithinMs = 1000
const generalTag = 'parley'

async function receive(content: Content | undefined, options: WorkerOptions): Promise<void> {
  const { registration } = scope()
  const { storage = pushStorage(), title = 'New message' } = options
  // If a push shows nothing, a browser may show its own text, or end the subscription.
  if (!content) return registration.showNotification(title, { ...looks(options), tag: generalTag })

  const { conversationId, seq } = content
  const shown = await registration.getNotifications({ tag: conversationId })
  if ('withdraw' in content) {
    for (const banner of shown) if (seqOf(banner) <= seq) banner.close()
    return settle(storage, conversationId, seq)
  }
  const settledSeq = await settledIn(storage, conversationId)
  if (seq <= Math.max(settledSeq, ...shown.map(seqOf))) return
  if (!(await isVisibleToUser(conversationId, storage))) {
    const banner = { ...looks(options), tag: conversationId, renotify: true, data: { conversationId, seq } }
    await registration.showNotification(content.title, { ...banner, body: content.body })
  }
  await settle(storage, conversationId, seq)
}

const looks = ({ icon, badge }: WorkerOptions) => ({ ...(icon && { icon }), ...(badge && { badge }) })
const seqOf = (banner: Notification): number => Object(banner.data).seq ?? 0

function contentOf(data: PushEventLike['data']): Content | undefined {
  try {
    const { conversationId, seq, title, body, withdraw } = Object(data?.json())
    if (typeof conversationId !== 'string' || typeof seq !== 'number') return undefined
    if (withdraw === true) return { conversationId, seq, withdraw }
    return typeof title === 'string' ? { conversationId, seq, title, body: String(body ?? '') } : undefined
  } catch {
    return undefined
  }
}

// If the storage fails, the worker forgets which banners were shown, but still shows this one.
async function settledIn(storage: Storage, conversationId: string): Promise<number> {
  const { settled = [] } = await readPushRecord(storage).catch(() => ({ settled: [] }))
  return new Map<string, number>(settled).get(conversationId) ?? 0
}

async function settle(storage: Storage, conversationId: string, seq: number): Promise<void> {
  try {
    const settled = new Map((await readPushRecord(storage)).settled)
    const known = settled.get(conversationId) ?? 0
    settled.delete(conversationId)
    settled.set(conversationId, Math.max(known, seq))
    await writePushRecord(storage, { settled: [...settled].slice(-settledMax) satisfies Settled })
  } catch (error) {
    console.warn('Parley: what was shown could not be kept.', error)
  }
}

async function isVisibleToUser(conversationId: string, storage: Storage): Promise<boolean> {
  const windows = (await openWindows()).filter(({ visibilityState }) => visibilityState === 'visible')
  if (windows.length === 0) return false
  const [owner, ...answers] = await Promise.all([ownerIn(storage), ...windows.map(askWindow)])
  return answers.some((each) => each?.conversationId === conversationId && each.userId === owner?.userId)
}

async function openChat(conversationId: string | undefined, options: WorkerOptions): Promise<void> {
  const { storage = pushStorage(), url } = options
  const owner = await ownerIn(storage)
  const windows = await openWindows()
  const answers = await Promise.all(windows.map(askWindow))
  const theirs = windows
    .map((window, i) => ({ window, ...answers[i] }))
    .filter(({ userId }) => userId !== undefined && userId === owner?.userId)
  const { window } = theirs.find((each) => each.conversationId === conversationId) ?? theirs[0] ?? {}
  if (!window) {
    await scope().clients.openWindow(url?.(conversationId, owner) ?? owner?.page ?? '/')
    return
  }
  if (conversationId) window.postMessage({ parley: 'open', conversationId } satisfies WorkerMessage)
  await window.focus()
}

async function resubscribe({ oldSubscription, newSubscription }: SubscriptionChangeEventLike): Promise<void> {
  const applicationServerKey = oldSubscription?.options.applicationServerKey
  if (!newSubscription && applicationServerKey)
    await scope().registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  for (const each of await openWindows()) each.postMessage({ parley: 'resubscribed' } satisfies WorkerMessage)
}

const ownerIn = async (storage: Storage): Promise<Owner | undefined> =>
  (await readPushRecord(storage).catch(() => undefined))?.owner

/** Returns the open windows, latest used first, including those opened before the worker took control. */
const openWindows = () => scope().clients.matchAll({ type: 'window', includeUncontrolled: true })

function askWindow(window: WindowLike): Promise<WindowState | undefined> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    const answer = (looking?: WindowState) => {
      clearTimeout(timer)
      port1.close()
      resolve(looking)
    }
    const timer = setTimeout(answer, answerWithinMs)
    port1.onmessage = ({ data }) => answer(data)
    window.postMessage({ parley: 'looking' } satisfies WorkerMessage, [port2])
  })
}

// These types cover the parts of a worker's globals and events that are used here. TypeScript cannot load the types of windows and of
// workers into one program.

export type PushEventLike = ExtendableEventLike & { data: { json(): unknown } | null }
export type NotificationEventLike = ExtendableEventLike & { notification: Notification }
export type SubscriptionChangeEventLike = ExtendableEventLike & {
  oldSubscription?: PushSubscription | null
  newSubscription?: PushSubscription | null
}
type ExtendableEventLike = { waitUntil(work: Promise<unknown>): void }

type WindowLike = {
  visibilityState: string
  postMessage(message: unknown, transfer?: Transferable[]): void
  focus(): Promise<unknown>
}
type WorkerEvents = {
  push: PushEventLike
  notificationclick: NotificationEventLike
  pushsubscriptionchange: SubscriptionChangeEventLike
}
type Scope = {
  addEventListener<Name extends keyof WorkerEvents>(name: Name, listener: (event: WorkerEvents[Name]) => void): void
  registration: ServiceWorkerRegistration
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly WindowLike[]>
    openWindow(url: string): Promise<unknown>
  }
}
const scope = () => globalThis as unknown as Scope
