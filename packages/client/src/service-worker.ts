import { inTurn } from './banners-in-turn.ts'
import { keep, type Looking, type Owner, pushStorage, readKept, type Settled, type WorkerMessage } from './push-kept.ts'
import type { Storage } from './storage/storage.ts'

// What a service worker imports as `parley/client/service-worker`: one banner for each conversation, showing its latest message.

export type WorkerOptions = {
  icon?: string
  /** A monochrome image for the status bar of phones. */
  badge?: string
  /** Of a push that says nothing of itself. Unless given: "New message". */
  title?: string
  /** The address of a conversation, for a click while no window of this user is open. Unless given: the page that registered. */
  url?: (conversationId: string | undefined, owner: Owner | undefined) => string
  /** As `parley/client/push` was given. */
  storage?: Storage
}

/** Everything below, at its event. To be called while the worker's script runs: browsers take no listener later. */
export function listenForPush(options: WorkerOptions = {}): void {
  const worker = scope()
  worker.addEventListener('push', (event) => handlePush(event, options))
  worker.addEventListener('notificationclick', (event) => handleNotificationClick(event, options))
  worker.addEventListener('pushsubscriptionchange', handleSubscriptionChange)
}

/** Shows it, unless it is before the user's eyes already or something newer was shown; or takes it away. */
export function handlePush(event: PushEventLike, options: WorkerOptions = {}): void {
  event.waitUntil(inTurn(() => receive(contentOf(event.data), options)))
}

/** To the window that has the conversation open, or else to any of this user, which is told to open it, or else to a new one. */
export function handleNotificationClick(event: NotificationEventLike, options: WorkerOptions = {}): void {
  event.notification.close()
  event.waitUntil(openChat(Object(event.notification.data).conversationId, options))
}

/** Subscribes anew. The server is told by an open window, or when the next one opens: only there is somebody signed in. */
export function handleSubscriptionChange(event: SubscriptionChangeEventLike): void {
  event.waitUntil(resubscribe(event))
}

type Content = { conversationId: string; seq: number } & ({ withdraw: true } | { title: string; body: string })

/** Late pushes of so many conversations are known to be late. */
const settledMax = 500
/** A window that does not answer by then has nobody before it. */
const answerWithinMs = 1000
const generalTag = 'parley'

async function receive(content: Content | undefined, options: WorkerOptions): Promise<void> {
  const { registration } = scope()
  const { storage = pushStorage(), title = 'New message' } = options
  // A browser that shows nothing for a push may show words of its own, or end the subscription.
  if (!content) return registration.showNotification(title, { ...looks(options), tag: generalTag })

  const { conversationId, seq } = content
  const shown = await registration.getNotifications({ tag: conversationId })
  if ('withdraw' in content) {
    for (const banner of shown) if (seqOf(banner) <= seq) banner.close()
    return settle(storage, conversationId, seq)
  }
  const settledSeq = await settledIn(storage, conversationId)
  if (seq <= Math.max(settledSeq, ...shown.map(seqOf))) return
  if (!(await isBeforeTheUser(conversationId, storage))) {
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

// A storage that fails costs the memory of banners that are gone, not the banner.
async function settledIn(storage: Storage, conversationId: string): Promise<number> {
  const { settled = [] } = await readKept(storage).catch(() => ({ settled: [] }))
  return new Map<string, number>(settled).get(conversationId) ?? 0
}

async function settle(storage: Storage, conversationId: string, seq: number): Promise<void> {
  try {
    const settled = new Map((await readKept(storage)).settled)
    const known = settled.get(conversationId) ?? 0
    settled.delete(conversationId)
    settled.set(conversationId, Math.max(known, seq))
    await keep(storage, { settled: [...settled].slice(-settledMax) satisfies Settled })
  } catch (error) {
    console.warn('Parley: what was shown could not be kept.', error)
  }
}

async function isBeforeTheUser(conversationId: string, storage: Storage): Promise<boolean> {
  const windows = (await openWindows()).filter(({ visibilityState }) => visibilityState === 'visible')
  if (windows.length === 0) return false
  const [owner, ...answers] = await Promise.all([ownerIn(storage), ...windows.map(lookingIn)])
  return answers.some((each) => each?.conversationId === conversationId && each.userId === owner?.userId)
}

async function openChat(conversationId: string | undefined, options: WorkerOptions): Promise<void> {
  const { storage = pushStorage(), url } = options
  const owner = await ownerIn(storage)
  const windows = await openWindows()
  const answers = await Promise.all(windows.map(lookingIn))
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
  (await readKept(storage).catch(() => undefined))?.owner

/** The latest used first. One that was opened before the worker took over counts, too. */
const openWindows = () => scope().clients.matchAll({ type: 'window', includeUncontrolled: true })

function lookingIn(window: WindowLike): Promise<Looking | undefined> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    const answer = (looking?: Looking) => {
      clearTimeout(timer)
      port1.close()
      resolve(looking)
    }
    const timer = setTimeout(answer, answerWithinMs)
    port1.onmessage = ({ data }) => answer(data)
    window.postMessage({ parley: 'looking' } satisfies WorkerMessage, [port2])
  })
}

// A worker's globals and events, as far as they are used: the types of windows and of workers do not go into one program.

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
