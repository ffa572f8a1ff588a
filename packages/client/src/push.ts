import { inTurn } from './banners-in-turn.ts'
import type { Chat } from './chat.ts'
import { PushPublicKeyDocument, RegisterDeviceDocument, UnregisterDeviceDocument } from './generated/graphql.ts'
import { keep, type Looking, pushStorage, readKept, type WorkerMessage } from './push-kept.ts'
import { asClientError, networkError } from './shared/client-error.ts'
import type { Storage } from './storage/storage.ts'

// What an application imports as `parley/client/push`: banners in this browser for what comes while no window is open. The other half
// is its service worker, `parley/client/service-worker`.

/**
 * `unsupported`: this browser, or a page without TLS, has no push. `unavailable`: the server sends none. `denied`: only the user can
 * change that, in the browser's settings. `on`: for the user of this chat.
 */
export type PushState = 'unsupported' | 'unavailable' | 'denied' | 'off' | 'on'

export type PushOptions = {
  serviceWorker: ServiceWorkerRegistration
  /** Unless given: IndexedDB, where the service worker looks, too. */
  storage?: Storage
}

export async function pushState(chat: Chat, options: PushOptions): Promise<PushState> {
  if (!isSupported(options)) return 'unsupported'
  if ((await publicKey(chat)) === null) return 'unavailable'
  if (Notification.permission === 'denied') return 'denied'
  return (await isOn(chat, options)) ? 'on' : 'off'
}

/**
 * To be called when the user presses something, for the browser may ask them whether they want that. Resolves when the server knows
 * the device; rejects where the browser cannot reach its push service.
 */
export async function enablePush(chat: Chat, options: PushOptions): Promise<PushState> {
  if (!isSupported(options)) return 'unsupported'
  const isOff = offSince(options, chat)
  // Before anything is waited for: browsers forget soon that somebody pressed.
  const permission = await Notification.requestPermission()
  if (permission !== 'granted' || isOff()) return pushState(chat, options)
  // Before anybody is asked: whoever leaves meanwhile has it on when they are back.
  await keep(storageOf(options), { wanted: true })
  return register(chat, options, isOff)
}

/**
 * To be called at every start: what is on is registered anew, for the subscription may be another by now, and so may the user. The
 * device is theirs from then on, and the banners of whoever was here before are gone.
 */
export async function resumePush(chat: Chat, options: PushOptions): Promise<PushState> {
  if (!isSupported(options)) return 'unsupported'
  const isOff = offSince(options, chat)
  if (Notification.permission !== 'granted') return pushState(chat, options)
  const subscription = await options.serviceWorker.pushManager.getSubscription()
  const { owner, wanted = owner !== undefined || subscription !== null } = await keptIn(options)
  return wanted ? register(chat, options, isOff) : pushState(chat, options)
}

/** Off at once, also without a network; resolves when the server knows. For before somebody signs out, too. */
export async function disablePush(chat: Chat, options: PushOptions): Promise<void> {
  if (!isSupported(options)) return
  const { offs } = laneOf(options)
  offs.set(chat.userId, (offs.get(chat.userId) ?? 0) + 1)
  const turn = takeTurn(options)
  const { device, owner } = await keptIn(options)
  // Somebody else's by now: theirs to switch off.
  if (owner === undefined || owner.userId === chat.userId) {
    await keep(storageOf(options), { owner: undefined, settled: undefined, wanted: false })
    await (await options.serviceWorker.pushManager.getSubscription())?.unsubscribe()
    await closeBanners(options)
  }
  if (device) await turn(chat, () => chat.ask(UnregisterDeviceDocument, { input: { deviceId: device } }))
}

export type PushWatch = PushOptions & {
  /** Which conversation the user has before them: for what is seen there is no banner. */
  shown: () => string | undefined
  /** A banner of it was clicked. */
  open: (conversationId: string) => void
}

/** Answers the service worker for this window, and takes away the banners of what is read here or elsewhere. Returns how to stop. */
export function watchPush(chat: Chat, options: PushWatch): () => void {
  const { serviceWorker, shown, open } = options
  if (!isSupported(options)) return () => undefined
  const { serviceWorker: container } = navigator

  const answer = ({ data, ports }: MessageEvent<WorkerMessage | undefined>) => {
    if (data?.parley === 'looking') {
      const looking: Looking = { userId: chat.userId, conversationId: shown() }
      ports[0]?.postMessage(looking)
    } else if (data?.parley === 'open') open(data.conversationId)
    // Where that fails, it is done at the next start.
    else if (data?.parley === 'resubscribed') resumePush(chat, options).catch(() => undefined)
  }

  async function closeRead(): Promise<void> {
    const banners = await serviceWorker.getNotifications()
    if (banners.length === 0 || (await keptIn(options)).owner?.userId !== chat.userId) return
    const { conversations } = chat.conversations.get()
    for (const banner of banners) {
      const { conversationId, seq } = Object(banner.data)
      const conversation = conversations.find(({ id }) => id === conversationId)
      if (conversation && conversation.unreadCount === 0 && conversation.lastSeq >= seq) banner.close()
    }
  }
  // A banner that cannot be looked for stays.
  const look = () => void inTurn(closeRead).catch(() => undefined)

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
const keptIn = (options: PushOptions) => readKept(storageOf(options))

async function isOn({ userId }: Chat, options: PushOptions): Promise<boolean> {
  if (Notification.permission !== 'granted') return false
  const { owner } = await keptIn(options)
  return owner?.userId === userId && (await options.serviceWorker.pushManager.getSubscription()) !== null
}

/** Null where the server sends no Web Push, or is too old to know of it. */
async function publicKey(chat: Chat): Promise<string | null> {
  try {
    return (await chat.insist(() => chat.ask(PushPublicKeyDocument, {}))).pushPublicKey
  } catch (error) {
    if (asClientError(error).code === 'GRAPHQL_VALIDATION_FAILED') return null
    throw error
  }
}

/** Where it is switched off meanwhile, that counts: what has been done is undone. */
async function register(chat: Chat, options: PushOptions, isOff: () => boolean): Promise<PushState> {
  const turn = takeTurn(options)
  const key = await publicKey(chat)
  if (isOff()) return pushState(chat, options)
  if (key === null) {
    await keep(storageOf(options), { wanted: undefined })
    return 'unavailable'
  }
  const subscription = await subscribe(options, key)
  const token = JSON.stringify(subscription)
  const { device: deviceId = crypto.randomUUID(), owner: before } = await keptIn(options)
  if (isOff()) {
    await subscription.unsubscribe()
    return pushState(chat, options)
  }
  if (before && before.userId !== chat.userId) await closeBanners(options)
  const page = typeof location === 'undefined' ? '' : location.href
  const owner = { userId: chat.userId, page }
  await keep(storageOf(options), { device: deviceId, owner, settled: undefined, wanted: undefined })
  await turn(chat, () => chat.ask(RegisterDeviceDocument, { input: { deviceId, platform: 'WEBPUSH', token } }))
  return pushState(chat, options)
}

/** A subscription hears only the server whose key it was made with. */
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
    await keep(storageOf(options), { wanted: undefined })
    throw networkError('This browser cannot reach its push service. Try again later.', error)
  }
}

const closeBanners = ({ serviceWorker }: PushOptions): Promise<void> =>
  inTurn(async () => {
    for (const banner of await serviceWorker.getNotifications()) banner.close()
  })

/** `offs`: how often it was switched off, by user. */
type Lane = { turns: number; last: Promise<unknown>; offs: Map<string, number> }
const lanes = new WeakMap<ServiceWorkerRegistration, Lane>()

function laneOf({ serviceWorker }: PushOptions): Lane {
  const lane: Lane = lanes.get(serviceWorker) ?? { turns: 0, last: Promise.resolve(), offs: new Map() }
  lanes.set(serviceWorker, lane)
  return lane
}

/** Whether this user has switched it off since this call. */
function offSince(options: PushOptions, { userId }: Chat): () => boolean {
  const { offs } = laneOf(options)
  const before = offs.get(userId)
  return () => offs.get(userId) !== before
}

/**
 * What is done about one device is told to the server in this order, and only the latest of it is insisted on: an `off` that came in
 * after the `on` that followed it would leave the device without banners.
 */
function takeTurn(options: PushOptions) {
  const lane = laneOf(options)
  lane.turns += 1
  const turn = lane.turns
  return (chat: Chat, tell: () => Promise<unknown>): Promise<unknown> =>
    chat.insist(async () => {
      await lane.last
      if (lane.turns !== turn) return
      const told = tell()
      lane.last = told.catch(() => undefined)
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
