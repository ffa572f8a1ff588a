import type { Browser, BrowserContext, BrowserContextOptions, Page, Route, WebSocketRoute } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

export type Profile = Awaited<ReturnType<typeof createProfile>>

/** A browser profile that notes what no window should ever do. */
export async function createProfile(browser: Browser, url: string, settings: BrowserContextOptions = {}) {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 900 },
    reducedMotion: 'reduce',
    ...settings,
  })
  const complaints: string[] = []
  let troubled = false
  let gate: Awaited<ReturnType<typeof createGate>> | undefined
  const refusals = new Map<string, string>()
  onTestFinished(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })
  const answer = (route: Route) => {
    const refused = [...refusals].find(([name]) => route.request().postData()?.includes(`mutation ${name}`))
    if (!refused) return route.fallback()
    const errors = [{ message: refused[1], extensions: { code: 'FORBIDDEN', retryable: false } }]
    return route.fulfill({ status: 403, json: { errors } })
  }
  const { host, origin } = new URL(url)
  // What a page has made itself has no host, but an origin.
  const own = (address: string) => new URL(address).host === host || new URL(address).origin === origin
  return {
    context,
    /** From here on the network fails: the browser may say so. */
    expectTrouble(): void {
      troubled = true
    },
    watch(page: Page): void {
      page.on('request', (request) => void (own(request.url()) || complaints.push(`asked ${request.url()}`)))
      page.on('websocket', (socket) => void (own(socket.url()) || complaints.push(`asked ${socket.url()}`)))
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('console', (message) => {
        const expected = troubled && /^Failed to load resource|^WebSocket connection to/.test(message.text())
        // A context of Playwright is an incognito window, in which Chromium refuses push.
        const ofIncognito = message.text().includes('does not support the Push API in incognito mode')
        if (message.type() === 'error' && !expected && !ofIncognito) complaints.push(message.text())
      })
    },
    async block(what: 'websocket' | 'streams'): Promise<void> {
      await context.routeWebSocket(isApi, (socket) => socket.close())
      if (what === 'websocket') return
      troubled = true
      await context.route(isApi, (route) => {
        const streams = route.request().headers().accept?.includes('text/event-stream')
        return streams ? route.abort() : route.fallback()
      })
    },
    /** Mutations of this name are answered with this error, until it is undefined. Over HTTP: WebSockets are to be blocked. */
    async refuse(name: string, message: string | undefined): Promise<void> {
      troubled = true
      if (refusals.size === 0) await context.route(isApi, answer)
      if (message) refusals.set(name, message)
      else refusals.delete(name)
      if (refusals.size === 0) await context.unroute(isApi, answer)
    },
    /** Files that go up wait on their way until they are released. */
    async holdUploads() {
      let release: () => void = () => undefined
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const hold = async (route: Route) => {
        if (route.request().method() !== 'PUT') return route.fallback()
        await released
        // Whoever has given it up does not wait for it.
        await route.continue().catch(() => undefined)
      }
      await context.route(/\/media\?/, hold)
      return { release }
    },
    async addGate(): Promise<void> {
      gate = await createGate(context)
    },
    /** What the page asks the API for, and has this in it, waits at the gate until it is released. */
    hold(part: string): { arrived: Promise<void>; release(): void } {
      if (!gate) throw new Error('The window was opened without a gate.')
      return gate.hold(part)
    },
    async gateIs(state: 'open' | 'shut'): Promise<void> {
      if (!gate) throw new Error('The window was opened without a gate.')
      troubled = true
      await gate.set(state === 'shut')
    },
  }
}

const isApi = /\/graphql$/

/** Lets everything through to the API, or nothing, or not this for now; the page itself can always be loaded. */
async function createGate(context: BrowserContext) {
  let isShut = false
  let hold: ((frame: string | Buffer, send: () => void) => boolean) | undefined
  const sockets = new Set<WebSocketRoute>()
  await context.route(isApi, (route) => (isShut ? route.abort('connectionrefused') : route.fallback()))
  await context.routeWebSocket(isApi, async (socket) => {
    if (isShut) return socket.close()
    sockets.add(socket)
    const server = socket.connectToServer()
    socket.onMessage((frame) => {
      const send = () => server.send(frame)
      if (!hold?.(frame, send)) send()
    })
  })
  return {
    hold(part: string) {
      const waiting: (() => void)[] = []
      const arrived = new Promise<void>((resolve) => {
        hold = (frame, send) => {
          if (!String(frame).includes(part)) return false
          waiting.push(send)
          resolve()
          return true
        }
      })
      return {
        /** Resolves when the first of it waits. */
        arrived,
        release() {
          hold = undefined
          for (const send of waiting) send()
        },
      }
    },
    async set(shut: boolean): Promise<void> {
      isShut = shut
      if (!shut) return
      await Promise.all([...sockets].map((socket) => socket.close()))
      sockets.clear()
    },
  }
}
