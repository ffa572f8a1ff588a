import { withBannerLock } from './banner-lock.ts'
import type { Chat } from './chat.ts'
import { PushPublicKeyDocument, RegisterDeviceDocument, UnregisterDeviceDocument } from './generated/graphql.ts'
import { pushStorage, readPushRecord, type WindowState, type WorkerMessage, writePushRecord } from './push-storage.ts'
import { asClientError, networkError } from './shared/client-error.ts'
import type { Storage } from './storage/storage.ts'

// Applications import this as `@parley/client/push`. It shows banners in this browser for messages that arrive while no window is open.
// The other half is the service worker, `@parley/client/service-worker`.

/**
 * `unsupported`: this browser, or a page without TLS, has no push. `unavailable`: the server sends none. `denied`: only the user can
 * change that, in the browser's settings. `on`: it is on for the user of this chat.
 */
export type PushState = 'unsupported' | 'unavailable' | 'denied' | 'off' | 'on'

export type PushOptions = {
  serviceWorker: ServiceWorkerRegistration
  /** Defaults to IndexedDB, which the service worker reads too. */
  storage?: Storage
}

export async function pushState(chat: Chat, options: PushOptions): Promise<PushState> {
  if (!isSupported(options)) return 'unsupported'
  if ((await publicKey(chat)) === null) return 'unavailable'
  if (Notification.permission === 'denied') return 'denied'
  return (await isOn(chat, options)) ? 'on' : 'off'
}

/**
 * Switches push on. Call it when the user presses a button, because the browser may ask them for permission. Resolves when the server
 * knows the device; rejects if the browser cannot reach its push service.
 */
export async function enablePush(chat: Chat, options: PushOptions): Promise<PushState> {
  if (!isSupported(options)) return 'unsupported'
  const isOff = offSince(options, chat)
  // This comes before any other await: browsers soon forget that the user pressed a button.
  const permission = await Notification.requestPermission()
  if (permission !== 'granted' || isOff()) return pushState(chat, options)
  // This is stored before the server is asked, so that a user who closes the page meanwhile has push on when they return.
  await writePushRecord(storageOf(options), { wanted: true })
  return register(chat, options, isOff)
}

/**
 * Registers again if push is on. Call it at every start, because the subscription or the user may have changed. The device then belongs
 * to this user, and the banners of the previous user are closed.
 */
export async function resumePush(chat: Chat, options: PushOptions): Promise<PushState> {
  if (!isSupported(options)) return 'unsupported'
  const isOff = offSince(options, chat)
  if (Notification.permission !== 'granted') return pushState(chat, options)
  const subscription = await options.serviceWorker.pushManager.getSubscription()
  const { owner, wanted = owner !== undefined || subscription !== null } = await recordIn(options)
  return wanted ? register(chat, options, isOff) : pushState(chat, options)
}

/** Switches push off at once, even without a network. Resolves when the server knows. Call it before the user signs out, too. */
export async function disablePush(chat: Chat, options: PushOptions): Promise<void> {
  if (!isSupported(options)) return
  const { offs } = queueOf(options)
  offs.set(chat.userId, (offs.get(chat.userId) ?? 0) + 1)
  const turn = enterQueue(options)
  const { device, owner } = await recordIn(options)
  // If the device belongs to another user by now, only they can switch it off.
  if (owner === undefined || owner.userId === chat.userId) {
    await writePushRecord(storageOf(options), { owner: undefined, settled: undefined, wanted: false })
    await (await options.serviceWorker.pushManager.getSubscription())?.unsubscribe()
    await closeBanners(options)
  }
  if (device) await turn(chat, () => chat.ask(UnregisterDeviceDocument, { input: { deviceId: device } }))
}

export type PushWatch = PushOptions & {
  /** Returns the conversation that the window shows. Its messages get no banner. */
  shown: () => string | undefined
  /** Called when a banner of this conversation was clicked. */
  open: (conversationId: string) => void
}

/** Answers the service worker for this window, and closes the banners of messages that were read on any device. Returns a stop function. */
export function watchPush(chat: Chat, options: PushWatch): () => void {
  const { serviceWorker, shown, open } = options
  if (!isSupported(options)) return () => undefined
  const { serviceWorker: container } = navigator

  const answer = ({ data, ports }: MessageEvent<WorkerMessage | undefined>) => {
    if (data?.parley === 'looking') {
      const looking: WindowState = { userId: chat.userId, conversationId: shown() }
      ports[0]?.postMessage(looking)
    } else if (data?.parley === 'open') open(data.conversationId)
    // If it fails, the next start does it.
    else if (data?.parley === 'resubscribed') resumePush(chat, options).catch(() => undefined)
  }

  async function closeRead(): Promise<void> {
    const banners = await serviceWorker.getNotifications()
    if (banners.length === 0 || (await recordIn(options)).owner?.userId !== chat.userId) return
    const { conversations } = chat.conversations.get()
    for (const banner of banners) {
      const { conversationId, seq } = Object(banner.data)
      const conversation = conversations.find(({ id }) => id === conversationId)
      if (conversation && conversation.unreadCount === 0 && conversation.lastSeq >= seq) banner.close()
    }
  }
  // If banners cannot be listed, they stay.
  const look = () => void withBannerLock(closeRead).catch(() => undefined)

  container.addEventListener('message', answer)
  const stop = chat.conversations.subscribe(look)
  look()
  return () => {
    container.removeEventListener('message', answer)
    stop()
  }
}

const isSupported = ({ serviceWorker }: PushOptions): boolean =>
  typeof Notification !== 'undefined' && 'pushManager' in serviceWorker

const storageOf = ({ storage }: PushOptions): Storage => storage ?? pushStorage()
const recordIn = (options: PushOptions) => readPushRecord(storageOf(options))

async function isOn({ userId }: Chat, options: PushOptions): Promise<boolean> {
  if (Notification.permission !== 'granted') return false
  const { owner } = await recordIn(options)
  return owner?.userId === userId && (await options.serviceWorker.pushManager.getSubscription()) !== null
}

/** Returns null if the server sends no Web Push, or is too old to know the field. */
async function publicKey(chat: Chat): Promise<string | null> {
  try {
    return (await chat.insist(() => chat.ask(PushPublicKeyDocument, {}))).pushPublicKey
  } catch (error) {
    if (asClientError(error).code === 'GRAPHQL_VALIDATION_FAILED') return null
    throw error
  }
}

/** Registers the device. If the user switches push off meanwhile, the registration is undone. */
async function register(chat: Chat, options: PushOptions, isOff: () => boolean): Promise<PushState> {
  const turn = enterQueue(options)
  const key = await publicKey(chat)
  if (isOff()) return pushState(chat, options)
  if (key === null) {
    await writePushRecord(storageOf(options), { wanted: undefined })
    return 'unavailable'
  }
  const subscription = await subscribe(options, key)
  const token = JSON.stringify(subscription)
  const { device: deviceId = crypto.randomUUID(), owner: before } = await recordIn(options)
  if (isOff()) {
    await subscription.unsubscribe()
    return pushState(chat, options)
  }
  if (before && before.userId !== chat.userId) await closeBanners(options)
  const page = typeof location === 'undefined' ? '' : location.href
  const owner = { userId: chat.userId, page }
  await writePushRecord(storageOf(options), { device: deviceId, owner, settled: undefined, wanted: undefined })
  await turn(chat, () => chat.ask(RegisterDeviceDocument, { input: { deviceId, platform: 'WEBPUSH', token } }))
  return pushState(chat, options)
}

/** A push subscription works only with the server key it was created with, so another key needs another subscription. */
async function subscribe(options: PushOptions, key: string): Promise<PushSubscription> {
  const { pushManager } = options.serviceWorker
  const applicationServerKey = bytesOf(key)
  const existing = await pushManager.getSubscription()
  if (existing) {
    if (isSame(existing.options.applicationServerKey, applicationServerKey)) return existing
    await existing.unsubscribe()
  }
  try {
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  } catch (error) {
    await writePushRecord(storageOf(options), { wanted: undefined })
    throw networkError('This browser cannot reach its push service. Try again later.', error)
  }
}

const closeBanners = ({ serviceWorker }: PushOptions): Promise<void> =>
  withBannerLock(async () => {
    for (const banner of await serviceWorker.getNotifications()) banner.close()
  })

/** `offs` counts how often each user has switched push off. */
type RegistrationQueue = { turns: number; last: Promise<unknown>; offs: Map<string, number> }
const queues = new WeakMap<ServiceWorkerRegistration, RegistrationQueue>()

function queueOf({ serviceWorker }: PushOptions): RegistrationQueue {
  const queue: RegistrationQueue = queues.get(serviceWorker) ?? { turns: 0, last: Promise.resolve(), offs: new Map() }
  queues.set(serviceWorker, queue)
  return queue
}

/** Returns a function that says whether this user has switched push off since this call. */
function offSince(options: PushOptions, { userId }: Chat): () => boolean {
  const { offs } = queueOf(options)
  const before = offs.get(userId)
  return () => offs.get(userId) !== before
}

/**
 * Registrations of one device reach the server in the order of their calls, and only the latest one is retried: an `off` that arrived
 * after a later `on` would leave the device without banners.
 */
function enterQueue(options: PushOptions) {
  const queue = queueOf(options)
  queue.turns += 1
  const turn = queue.turns
  return (chat: Chat, tell: () => Promise<unknown>): Promise<unknown> =>
    chat.insist(async () => {
      await queue.last
      if (queue.turns !== turn) return
      const told = tell()
      queue.last = told.catch(() => undefined)
      await told
    })
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0))
}

function isSame(buffer: ArrayBuffer | null, bytes: Uint8Array): boolean {
  const other = new Uint8Array(buffer ?? [])
  return other.length === bytes.length && other.every((byte, i) => byte === bytes[i])
}
