import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startWebPushService, type WebPushService } from '../kit/services/web-push-service.ts'
import { keptOf, pushTo, shownIn, shows } from './banners.ts'
import { demoOfThisFile, type OpenOptions, type Someone, strangers } from './kit.ts'
import { type ChatWindow, patience } from './window.ts'

// From the switch to the banner and back. The push service is played: the page subscribes to it, the server pushes to it, and what it
// decrypts is handed to the browser.

const demo = demoOfThisFile()
let service: WebPushService
beforeAll(async () => {
  service = await startWebPushService()
})
afterAll(() => service?.stop())

const switchIn = ({ page }: ChatWindow) => page.getByRole('switch', { name: 'Notifications' })
const isSwitched = (window: ChatWindow, on: boolean) =>
  expect.poll(() => switchIn(window).getAttribute('aria-checked'), patience).toBe(String(on))

/** The server knows it. */
const isSettled = (window: ChatWindow) =>
  expect.poll(() => switchIn(window).getAttribute('aria-busy'), patience).toBe('false')

/** A profile whose push service is ours, with a window that is nobody's. */
async function newProfile(options: OpenOptions = {}) {
  const idle = await demo.visit('/', { ...options, context: { permissions: ['notifications'] } })
  const browser = service.subscribe()
  await idle.profile.context.addInitScript((subscription) => {
    const read = () => localStorage.getItem('subscribed with')
    const subscriptionWith = (key: number[]) => ({
      options: { userVisibleOnly: true, applicationServerKey: Uint8Array.from(key).buffer },
      toJSON: () => subscription,
      async unsubscribe() {
        localStorage.removeItem('subscribed with')
        return true
      },
    })
    Object.assign(PushManager.prototype, {
      getSubscription: async () => (read() ? subscriptionWith(JSON.parse(read() ?? '')) : null),
      async subscribe({ applicationServerKey }: { applicationServerKey: Uint8Array }) {
        const key = [...applicationServerKey]
        localStorage.setItem('subscribed with', JSON.stringify(key))
        return subscriptionWith(key)
      },
    })
  }, browser.subscription)
  return { idle, browser }
}

/** Hands on what the push service has for the browser, until it shows this. */
async function relays(window: ChatWindow, { received }: Browser, expected: string[]): Promise<void> {
  const push = await pushTo(window)
  let next = 0
  await expect
    .poll(async () => {
      for (; next < received.length; next += 1) await push(received[next]?.payload)
      return shownIn(window)
    }, patience)
    .toEqual(expected)
}

test('whoever switches it on and goes has one banner with the last of ten messages, gone when it is read', async () => {
  const { alice, bob } = strangers()
  const { idle, browser } = await newProfile()
  const his = await demo.open(bob, { beside: idle })
  await isSwitched(his, false)
  await switchIn(his).click()
  await isSwitched(his, true)
  await isSettled(his)
  await his.page.close()

  const hers = await demo.open(alice, { with: bob })
  const texts = Array.from({ length: 10 }, (_, i) => `message ${i + 1}`)
  await hers.says(...texts)
  await relays(idle, browser, ['Alice: message 10'])

  const elsewhere = await demo.open(bob, { with: alice })
  await elsewhere.sees(texts)
  await hers.ticks('message 10', 'Read')
  await relays(idle, browser, [])
  expect(service.problem()).toBeUndefined()
})

test('it stays on over a reload, and is the next one’s who comes', async () => {
  const { alice, bob } = strangers()
  const carol: Someone = { id: bob.id.replace('bob', 'carol'), name: 'Carol' }
  const { idle, browser } = await newProfile()
  const his = await demo.open(bob, { beside: idle })
  await switchIn(his).click()
  await isSwitched(his, true)
  await isSettled(his)
  await his.page.reload()
  await isSwitched(his, true)

  const carols = await demo.open(carol, { beside: idle })
  await isSwitched(carols, true)
  await isSettled(carols)
  await carols.page.close()
  await his.page.close()
  const toBob = await demo.open(alice, { with: bob })
  await toBob.says('for Bob')
  await toBob.ticks('for Bob', 'Sent')
  const toCarol = await demo.open(alice, { with: carol })
  await toCarol.says('for Carol')
  await relays(idle, browser, ['Alice: for Carol'])
  expect(browser.received.map(({ payload }) => 'body' in payload && payload.body)).toEqual(['for Carol'])
})

test('whoever switches it on without a server, and reloads, has it on when the server is back', async () => {
  const { idle, browser } = await newProfile({ gated: true })
  const his = await demo.open(strangers().bob, { beside: idle })
  await expect.poll(() => switchIn(his).getAttribute('aria-disabled'), patience).toBe('false')
  await his.losesTheServer()
  await his.isOffline()
  await switchIn(his).click()
  await isSwitched(his, true)
  await expect.poll(() => keptOf(his, 'wanted'), patience).toBe(true)
  await his.page.reload()
  await his.isConnected('Offline')
  await his.findsTheServer()
  await isSwitched(his, true)
  expect(await keptOf(his, 'owner')).toMatchObject({ userId: expect.stringContaining('bob') })
  expect(browser.received).toEqual([])
})

test('switched off it stays off, and its banners go', async () => {
  const { bob } = strangers()
  const { idle } = await newProfile()
  const his = await demo.open(bob, { beside: idle })
  await switchIn(his).click()
  await isSwitched(his, true)
  const push = await pushTo(his)
  await push({ title: 'Alice', body: 'hello', conversationId: 'dm_1', seq: 1, tag: 'dm_1' })
  await shows(his, ['Alice: hello'])
  await switchIn(his).press('Space')
  await isSwitched(his, false)
  await shows(his, [])
  await isSettled(his)
  await his.page.reload()
  await his.isConnected()
  await expect.poll(() => switchIn(his).getAttribute('aria-disabled'), patience).toBe('false')
  await isSwitched(his, false)
})

test('whoever says no is told how to allow it again, and may then', async () => {
  const his = await demo.open(strangers().bob)
  const { page } = his
  const browser = await page.context().newCDPSession(page)
  const { targetInfo } = await browser.send('Target.getTargetInfo')
  const { browserContextId = '' } = targetInfo
  const allow = (setting: 'granted' | 'denied') =>
    browser.send('Browser.setPermission', { permission: { name: 'notifications' }, setting, browserContextId })
  const how = page.getByText('Allow notifications in its settings for this page')
  await allow('denied')
  await how.waitFor()
  expect(await switchIn(his).getAttribute('aria-disabled')).toBe('true')
  await switchIn(his).press('Space')
  await isSwitched(his, false)
  await allow('granted')
  await how.waitFor({ state: 'hidden' })
  expect(await switchIn(his).getAttribute('aria-disabled')).toBe('false')
})
