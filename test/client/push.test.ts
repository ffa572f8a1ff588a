import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withBannerLock } from '../../packages/client/src/banner-lock.ts'
import { ClientError, memoryStorage } from '../../packages/client/src/index.ts'
import { disablePush, enablePush, pushState, resumePush, watchPush } from '../../packages/client/src/push.ts'
import { type Answer, chatAt, pass, startChat, startServer, turns } from './fake-server.ts'
import { conversation, deferred, keptIn, list, message, refused } from './kit.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const notNow = new ClientError('Not now.', { code: 'UNAVAILABLE', retryable: true })
const keyA = 'BPhI-_0A'
const keyB = 'BPhI-_0B'

type Settings = { permission?: NotificationPermission; answer?: NotificationPermission }

/** A browser as far as push goes: it asks, subscribes and shows, as the Push API and the Notifications API say. */
function startBrowser({ permission = 'default', answer = 'granted' }: Settings = {}) {
  let subscription: PushSubscription | null = null
  let made = 0
  const banners: { data: unknown; close(): void }[] = []
  const notification = {
    permission,
    requestPermission: vi.fn(async () => {
      if (notification.permission === 'default') notification.permission = answer
      return notification.permission
    }),
  }
  const pushManager = {
    getSubscription: async () => subscription,
    subscribe: vi.fn(async ({ applicationServerKey }: PushSubscriptionOptionsInit) => {
      if (notification.permission !== 'granted') throw new DOMException('denied', 'NotAllowedError')
      const key = (applicationServerKey as Uint8Array<ArrayBuffer>).slice().buffer
      // A browser has one at a time, and keeps it to the key it was made with.
      if (subscription && String(subscription.options.applicationServerKey) !== String(key))
        throw new DOMException('another key', 'InvalidStateError')
      made += 1
      const endpoint = `https://push.example/${made}`
      subscription = {
        endpoint,
        options: { applicationServerKey: key, userVisibleOnly: true },
        toJSON: () => ({ endpoint, expirationTime: null, keys: { p256dh: 'p', auth: 'a' } }),
        unsubscribe: async () => {
          subscription = null
          return true
        },
      } as unknown as PushSubscription
      return subscription
    }),
  }
  const container = new EventTarget()
  vi.stubGlobal('Notification', notification)
  vi.stubGlobal('navigator', { serviceWorker: container })
  vi.stubGlobal('location', { href: 'http://chat/?as=alice' })
  const serviceWorker = { pushManager, getNotifications: async () => [...banners] }
  return {
    notification,
    pushManager,
    /** What the application hands over. */
    options: {
      serviceWorker: serviceWorker as unknown as ServiceWorkerRegistration,
      storage: memoryStorage(),
    },
    subscribed: () => subscription?.endpoint,
    /** By the browser itself. */
    loseSubscription: () => {
      subscription = null
    },
    show(data: unknown): void {
      const banner = { data, close: () => void banners.splice(banners.indexOf(banner), 1) }
      banners.push(banner)
    },
    shown: () => banners.map(({ data }) => data),
    /** The worker asks this window. */
    async hear(data: unknown): Promise<unknown> {
      const answers: unknown[] = []
      const ports = [{ postMessage: (message: unknown) => answers.push(message) }]
      container.dispatchEvent(Object.assign(new Event('message'), { data, ports }))
      await turns()
      return answers[0]
    },
  }
}

/** Where push is set up. */
const startPushServer = (told: Record<string, Answer> = {}) =>
  startServer({
    PushPublicKey: () => ({ pushPublicKey: keyA }),
    RegisterDevice: ({ input: { deviceId } }) => ({ registerDevice: { deviceId } }),
    UnregisterDevice: ({ input: { deviceId } }) => ({ unregisterDevice: { deviceId } }),
    ...told,
  })

const tokens = (server: ReturnType<typeof startServer>) =>
  server.asked('RegisterDevice').map(({ input }) => JSON.parse(input.token).endpoint)

describe('switching on', () => {
  it('asks, subscribes with the key of the server, and registers the subscription', async () => {
    const browser = startBrowser()
    const server = startPushServer()
    const { chat } = await startChat(server)
    expect(await pushState(chat, browser.options)).toBe('off')
    expect(await enablePush(chat, browser.options)).toBe('on')
    const [{ input }] = server.asked('RegisterDevice')
    expect(input).toEqual({
      deviceId: expect.stringMatching(/^[A-Za-z0-9._:-]{1,64}$/),
      platform: 'WEBPUSH',
      token: expect.any(String),
    })
    expect(JSON.parse(input.token)).toEqual({
      endpoint: 'https://push.example/1',
      expirationTime: null,
      keys: { p256dh: 'p', auth: 'a' },
    })
    const [[asked]] = browser.pushManager.subscribe.mock.calls as [[PushSubscriptionOptionsInit]]
    expect(asked.userVisibleOnly).toBe(true)
    expect([...(asked.applicationServerKey as Uint8Array)]).toEqual([4, 248, 72, 251, 253, 0])
    expect(await pushState(chat, browser.options)).toBe('on')
  })

  it('asks for the permission before it waits for anything', async () => {
    const browser = startBrowser()
    const { chat } = await startChat(startPushServer())
    const done = enablePush(chat, browser.options)
    expect(browser.notification.requestPermission).toHaveBeenCalledTimes(1)
    await done
  })

  it.each([
    ['denied', 'denied'],
    ['default', 'off'],
  ] as const)('that is answered with %s is %s, and registers nothing', async (answer, state) => {
    const browser = startBrowser({ answer })
    const server = startPushServer()
    const { chat } = await startChat(server)
    expect(await enablePush(chat, browser.options)).toBe(state)
    expect(browser.subscribed()).toBeUndefined()
    expect(server.asked('RegisterDevice')).toEqual([])
  })

  it('is tried until the server answers, with the same device', async () => {
    const browser = startBrowser()
    const server = startPushServer({ RegisterDevice: () => notNow })
    const { chat } = await startChat(server)
    const done = enablePush(chat, browser.options)
    await turns()
    server.answers.RegisterDevice = () => ({ registerDevice: { deviceId: 'd' } })
    await pass(30_000)
    expect(await done).toBe('on')
    const asked = server.asked('RegisterDevice')
    expect(asked).toHaveLength(2)
    expect(asked[0]).toEqual(asked[1])
  })

  it('replaces a subscription that was made with another key', async () => {
    const browser = startBrowser()
    const server = startPushServer()
    const { chat } = await startChat(server)
    await enablePush(chat, browser.options)
    await enablePush(chat, browser.options)
    expect(browser.subscribed()).toBe('https://push.example/1')
    server.answers.PushPublicKey = () => ({ pushPublicKey: keyB })
    expect(await enablePush(chat, browser.options)).toBe('on')
    expect(tokens(server)).toEqual([1, 1, 2].map((n) => `https://push.example/${n}`))
    expect(new Set(server.asked('RegisterDevice').map(({ input }) => input.deviceId)).size).toBe(1)
  })

  it('says when the push service cannot be reached, and when the server refuses', async () => {
    const browser = startBrowser()
    const server = startPushServer({ RegisterDevice: () => refused('BAD_USER_INPUT', 'No token.') })
    const { chat } = await startChat(server)
    browser.pushManager.subscribe.mockRejectedValueOnce(new DOMException('failed', 'AbortError'))
    await expect(enablePush(chat, browser.options)).rejects.toMatchObject({ code: 'NETWORK' })
    await expect(enablePush(chat, browser.options)).rejects.toMatchObject({ message: 'No token.' })
  })
})

describe('what cannot be', () => {
  it('is unavailable where the server has no key, or has never heard of one', async () => {
    const browser = startBrowser()
    const server = startPushServer({ PushPublicKey: () => ({ pushPublicKey: null }) })
    const { chat } = await startChat(server)
    expect(await pushState(chat, browser.options)).toBe('unavailable')
    expect(await enablePush(chat, browser.options)).toBe('unavailable')
    server.answers.PushPublicKey = () => refused('GRAPHQL_VALIDATION_FAILED')
    expect(await pushState(chat, browser.options)).toBe('unavailable')
    expect(browser.subscribed()).toBeUndefined()
  })

  it('is unsupported where the browser has no push', async () => {
    const { options } = startBrowser()
    const { chat } = await startChat(startPushServer())
    const serviceWorker = {} as ServiceWorkerRegistration
    expect(await pushState(chat, { ...options, serviceWorker })).toBe('unsupported')
    vi.stubGlobal('Notification', undefined)
    for (const ask of [pushState, enablePush, resumePush]) expect(await ask(chat, options)).toBe('unsupported')
    await disablePush(chat, options)
  })

  it('is denied until the user allows it again', async () => {
    const browser = startBrowser({ permission: 'denied' })
    const { chat } = await startChat(startPushServer())
    expect(await pushState(chat, browser.options)).toBe('denied')
    browser.notification.permission = 'default'
    expect(await pushState(chat, browser.options)).toBe('off')
  })
})

describe('switching off', () => {
  it('ends the subscription, takes the banners away, and unregisters', async () => {
    const browser = startBrowser()
    const server = startPushServer()
    const { chat } = await startChat(server)
    await enablePush(chat, browser.options)
    browser.show({ conversationId: 'dm_1', seq: 1 })
    await disablePush(chat, browser.options)
    const [{ input }] = server.asked('RegisterDevice')
    expect(server.asked('UnregisterDevice')).toEqual([{ input: { deviceId: input.deviceId } }])
    expect(browser.subscribed()).toBeUndefined()
    expect(browser.shown()).toEqual([])
    expect(await pushState(chat, browser.options)).toBe('off')
    expect(await resumePush(chat, browser.options)).toBe('off')
    expect(server.asked('RegisterDevice')).toHaveLength(1)
  })

  it('is off at once while nobody answers, and told later', async () => {
    const browser = startBrowser()
    const server = startPushServer({ UnregisterDevice: () => notNow })
    const { chat } = await startChat(server)
    await enablePush(chat, browser.options)
    const done = disablePush(chat, browser.options)
    await turns()
    expect(await pushState(chat, browser.options)).toBe('off')
    server.answers.UnregisterDevice = () => ({ unregisterDevice: { deviceId: 'd' } })
    await pass(30_000)
    await done
    expect(server.asked('UnregisterDevice')).toHaveLength(2)
  })

  it('and on again is on, however late the first is answered', async () => {
    const browser = startBrowser()
    const server = startPushServer()
    const { chat } = await startChat(server)
    await enablePush(chat, browser.options)
    const told: string[] = []
    let answer: () => void = () => undefined
    server.answers.UnregisterDevice = () =>
      new Promise((resolve) => {
        answer = () => {
          told.push('off')
          resolve({ unregisterDevice: { deviceId: 'd' } })
        }
      })
    server.answers.RegisterDevice = () => {
      told.push('on')
      return { registerDevice: { deviceId: 'd' } }
    }
    const off = disablePush(chat, browser.options)
    await turns()
    const on = enablePush(chat, browser.options)
    await turns()
    expect(told).toEqual([])
    answer()
    expect(await on).toBe('on')
    await off
    expect(told).toEqual(['off', 'on'])
  })

  it.each([
    ['the user is being asked', { at: 'permission' }],
    ['the server is being asked for its key', { at: 'key' }],
    ['the browser is subscribing', { at: 'subscription' }],
    ['the server is being told', { at: 'registration' }],
  ])('while %s for the on before it is off in the end', async (_when, { at }) => {
    const browser = startBrowser()
    const waits = deferred()
    const server = startPushServer({
      PushPublicKey: async () => {
        if (at === 'key') await waits.promise
        return { pushPublicKey: keyA }
      },
      RegisterDevice: async ({ input: { deviceId } }) => {
        if (at === 'registration') await waits.promise
        return { registerDevice: { deviceId } }
      },
    })
    const { chat } = await startChat(server)
    const { requestPermission } = browser.notification
    const ask = requestPermission.getMockImplementation() ?? (async () => 'granted' as const)
    requestPermission.mockImplementation(async () => {
      if (at === 'permission') await waits.promise
      return ask()
    })
    const subscribe = browser.pushManager.subscribe.getMockImplementation() as PushManager['subscribe']
    browser.pushManager.subscribe.mockImplementation(async (options) => {
      if (at === 'subscription') await waits.promise
      return subscribe(options)
    })
    const on = enablePush(chat, browser.options)
    await turns()
    const off = disablePush(chat, browser.options)
    await turns()
    waits.resolve()
    expect(await on).toBe('off')
    await off
    expect(browser.subscribed()).toBeUndefined()
    expect(await resumePush(chat, browser.options)).toBe('off')
    const [registered, unregistered] = [server.asked('RegisterDevice'), server.asked('UnregisterDevice')]
    expect(unregistered).toHaveLength(registered.length)
  })

  it('is insisted on when the user is asked again and refuses', async () => {
    const browser = startBrowser()
    const server = startPushServer({ UnregisterDevice: () => notNow })
    const { chat } = await startChat(server)
    await enablePush(chat, browser.options)
    const off = disablePush(chat, browser.options)
    await turns()
    browser.notification.permission = 'denied'
    expect(await enablePush(chat, browser.options)).toBe('denied')
    server.answers.UnregisterDevice = () => ({ unregisterDevice: { deviceId: 'd' } })
    await pass(30_000)
    await off
    expect(server.asked('UnregisterDevice')).toHaveLength(2)
  })

  it('is not insisted on once it is on again', async () => {
    const browser = startBrowser()
    const server = startPushServer({ UnregisterDevice: () => notNow })
    const { chat } = await startChat(server)
    await enablePush(chat, browser.options)
    const off = disablePush(chat, browser.options)
    await turns()
    expect(await enablePush(chat, browser.options)).toBe('on')
    await pass(30_000)
    await off
    expect(server.asked('UnregisterDevice')).toHaveLength(1)
  })
})

describe('at a start', () => {
  it('nothing is registered that was never on', async () => {
    const browser = startBrowser({ permission: 'granted' })
    const server = startPushServer()
    const { chat } = await startChat(server)
    expect(await resumePush(chat, browser.options)).toBe('off')
    expect(server.asked('RegisterDevice')).toEqual([])
  })

  it('what is on is registered anew, with the subscription as it is now', async () => {
    const browser = startBrowser()
    const server = startPushServer()
    const { chat } = await startChat(server)
    await enablePush(chat, browser.options)
    browser.loseSubscription()
    expect(await pushState(chat, browser.options)).toBe('off')
    expect(await resumePush(chat, browser.options)).toBe('on')
    expect(tokens(server)).toEqual([1, 2].map((n) => `https://push.example/${n}`))
    expect(new Set(server.asked('RegisterDevice').map(({ input }) => input.deviceId)).size).toBe(1)
  })

  it('what was switched on and left before anybody answered is on', async () => {
    const browser = startBrowser()
    const server = startPushServer({ PushPublicKey: () => notNow })
    const { chat: left } = await startChat(server)
    const enabling = enablePush(left, browser.options)
    await turns()
    await left.close()
    await expect(enabling).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(browser.subscribed()).toBeUndefined()
    server.answers.PushPublicKey = () => ({ pushPublicKey: keyA })
    const { chat } = await startChat(server)
    expect(await resumePush(chat, browser.options)).toBe('on')
    expect(tokens(server)).toEqual(['https://push.example/1'])
  })

  it('what was switched off and left before the browser had ended it is off', async () => {
    const browser = startBrowser()
    const server = startPushServer()
    const { chat: left } = await startChat(server)
    await enablePush(left, browser.options)
    const subscription = (await browser.pushManager.getSubscription()) as PushSubscription
    subscription.unsubscribe = () => new Promise(() => undefined)
    void disablePush(left, browser.options)
    await turns()
    await left.close()
    const { chat } = await startChat(server)
    expect(await resumePush(chat, browser.options)).toBe('off')
    expect(server.asked('RegisterDevice')).toHaveLength(1)
  })

  it('what could not be switched on stays off', async () => {
    const browser = startBrowser()
    const server = startPushServer()
    const { chat } = await startChat(server)
    browser.pushManager.subscribe.mockRejectedValueOnce(new DOMException('failed', 'AbortError'))
    await expect(enablePush(chat, browser.options)).rejects.toMatchObject({ code: 'NETWORK' })
    server.answers.PushPublicKey = () => ({ pushPublicKey: null })
    expect(await enablePush(chat, browser.options)).toBe('unavailable')
    server.answers.PushPublicKey = () => ({ pushPublicKey: keyA })
    expect(await resumePush(chat, browser.options)).toBe('off')
    expect(server.asked('RegisterDevice')).toEqual([])
  })

  it('what the user has forbidden meanwhile stays off', async () => {
    const browser = startBrowser()
    const server = startPushServer()
    const { chat } = await startChat(server)
    await enablePush(chat, browser.options)
    browser.notification.permission = 'denied'
    expect(await resumePush(chat, browser.options)).toBe('denied')
    expect(server.asked('RegisterDevice')).toHaveLength(1)
  })

  it('the device moves to whoever is here now, and the banners of the one before are gone', async () => {
    const browser = startBrowser()
    const server = startPushServer()
    const { chat: atAlice } = await startChat(server)
    await enablePush(atAlice, browser.options)
    await browser.options.storage.write(new Map([['settled', [['dm_1', 9]]]]))
    browser.show({ conversationId: 'dm_1', seq: 9 })
    const { chat: atBob } = await startChat(server, { userId: 'bob', token: () => 'of bob' })
    expect(await pushState(atBob, browser.options)).toBe('off')
    expect(await resumePush(atBob, browser.options)).toBe('on')
    const registered = server.calls.filter(({ name }) => name === 'RegisterDevice')
    expect(registered.map(({ token }) => token)).toEqual(['Bearer t', 'Bearer of bob'])
    expect(registered[0]?.variables).toEqual(registered[1]?.variables)
    expect(browser.shown()).toEqual([])
    expect(await keptIn(browser.options.storage)).toMatchObject({ owner: { userId: 'bob' } })
    expect(await keptIn(browser.options.storage)).not.toHaveProperty('settled')
    // Alice's window, if it is still open, knows that it is not hers any more, and does not switch it off for bob.
    expect(await pushState(atAlice, browser.options)).toBe('off')
    await disablePush(atAlice, browser.options)
    expect(browser.subscribed()).toBe('https://push.example/1')
    expect(await pushState(atBob, browser.options)).toBe('on')
  })
})

describe('a window', () => {
  it('tells its worker who is here and what they see, and opens what was clicked', async () => {
    const browser = startBrowser()
    const { chat } = await startChat(startPushServer())
    const opened: string[] = []
    let shown: string | undefined = 'dm_1'
    const stop = watchPush(chat, { ...browser.options, shown: () => shown, open: (id) => opened.push(id) })
    expect(await browser.hear({ parley: 'looking' })).toEqual({ userId: 'alice', conversationId: 'dm_1' })
    shown = undefined
    expect(await browser.hear({ parley: 'looking' })).toEqual({ userId: 'alice', conversationId: undefined })
    await browser.hear({ parley: 'open', conversationId: 'grp_1' })
    await browser.hear('something of the application')
    await browser.hear(undefined)
    expect(opened).toEqual(['grp_1'])
    stop()
    expect(await browser.hear({ parley: 'looking' })).toBeUndefined()
  })

  it('registers what its worker has subscribed anew', async () => {
    const browser = startBrowser()
    const server = startPushServer()
    const { chat } = await startChat(server)
    await enablePush(chat, browser.options)
    watchPush(chat, { ...browser.options, shown: () => undefined, open: () => undefined })
    browser.loseSubscription()
    await browser.hear({ parley: 'resubscribed' })
    expect(tokens(server)).toEqual([1, 2].map((n) => `https://push.example/${n}`))
  })

  it('takes away the banners of what is read, and no others', async () => {
    const browser = startBrowser()
    const lastMessage = message(4, { conversationId: 'dm_2' })
    const unread = conversation({ id: 'dm_2', lastMessage, unreadCount: 2 })
    const server = startPushServer({ Conversations: () => list([chatAt(3, { unreadCount: 2 }), unread]) })
    const { chat } = await startChat(server)
    await enablePush(chat, browser.options)
    const banners = [
      { conversationId: 'dm_1', seq: 3 },
      { conversationId: 'dm_2', seq: 4 },
      { conversationId: 'dm_9', seq: 1 },
    ]
    for (const each of banners) browser.show(each)
    const stop = watchPush(chat, { ...browser.options, shown: () => undefined, open: () => undefined })
    await turns()
    expect(browser.shown()).toEqual(banners)
    chat.markRead('dm_1', 3)
    await turns()
    expect(browser.shown()).toEqual(banners.slice(1))
    // One of a message that has not come to this window yet.
    browser.show({ conversationId: 'dm_1', seq: 4 })
    chat.markRead('dm_2', 3)
    await turns()
    expect(browser.shown()).toHaveLength(3)
    stop()
  })

  it('looks for banners when nobody else does, nor shows any', async () => {
    const browser = startBrowser()
    const { chat } = await startChat(startPushServer({ Conversations: () => list([chatAt(3)]) }))
    await enablePush(chat, browser.options)
    browser.show({ conversationId: 'dm_1', seq: 3 })
    const showing = deferred()
    const done = withBannerLock(() => showing.promise)
    const stop = watchPush(chat, { ...browser.options, shown: () => undefined, open: () => undefined })
    await turns()
    expect(browser.shown()).toHaveLength(1)
    showing.resolve()
    await done
    await turns()
    expect(browser.shown()).toEqual([])
    stop()
  })

  it('leaves the banners of somebody else alone', async () => {
    const browser = startBrowser()
    const server = startPushServer()
    const { chat: atBob } = await startChat(server, { userId: 'bob' })
    await enablePush(atBob, browser.options)
    server.answers.Conversations = () => list([chatAt(3)])
    const { chat } = await startChat(server)
    browser.show({ conversationId: 'dm_1', seq: 3 })
    const stop = watchPush(chat, { ...browser.options, shown: () => undefined, open: () => undefined })
    await turns()
    expect(browser.shown()).toHaveLength(1)
    stop()
  })
})
