import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { connectBrowser } from '../kit/browser.ts'
import { type DemoServer, startDemoServer } from '../kit/nodes/demo-server.ts'
import { sharedService } from '../kit/shared-services.ts'
import { createProfile } from './profile.ts'
import { type ChatWindow, createWindow, patience } from './window.ts'

export type Someone = { id: string; name: string }

/** Some who have never talked to anybody, so that tests do not meet each other's chats. */
export function strangers(): Record<'alice' | 'bob' | 'carol' | 'dave', Someone> {
  const id = randomUUID().slice(0, 8)
  return {
    alice: { id: `alice-${id}`, name: 'Alice' },
    bob: { id: `bob-${id}`, name: 'Bob' },
    carol: { id: `carol-${id}`, name: 'Carol' },
    dave: { id: `dave-${id}`, name: 'Dave' },
  }
}

export type OpenOptions = {
  /** Whose chat is open. */
  with?: Someone
  /** In the same browser profile as another window: with its storage, and its network. */
  beside?: ChatWindow
  /** What the status says when the window is ready. */
  until?: string
  /** Something on the way that lets no WebSocket through; or no stream either. */
  blocked?: 'websocket' | 'streams'
  /** With a gate on the way to the API. */
  gated?: boolean
  context?: BrowserContextOptions
}

export type DemoOptions = {
  /** A server of this file's own, which it may kill, with these settings. Without it, the file uses the one that others use too. */
  ownServer?: Record<string, string>
}

/** One server and one browser for the tests of a file. */
export function demoOfThisFile({ ownServer }: DemoOptions = {}) {
  // A story has many steps, and the machine may be busy.
  vi.setConfig({ testTimeout: 300_000 })
  let server: DemoServer
  let browser: Browser
  beforeAll(async () => {
    const starting = [ownServer ? startOwn(ownServer) : findShared(), connectBrowser()] as const
    const [started, launched] = await Promise.allSettled(starting)
    if (started.status === 'fulfilled') server = started.value
    if (launched.status === 'fulfilled') browser = launched.value
    await Promise.all(starting)
  })
  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop()])
    expect(server?.crashes ?? []).toEqual([])
  })

  /** A window at this address, in a profile of its own unless it is beside another. */
  async function visit(path: string, { beside, blocked, gated, context: settings }: OpenOptions = {}) {
    const profile = beside?.profile ?? (await createProfile(browser, server.url, settings))
    if (gated) await profile.addGate()
    if (blocked) await profile.block(blocked)
    const page = await profile.context.newPage()
    profile.watch(page)
    page.setDefaultTimeout(patience.timeout)
    await page.goto(server.url + path)
    return createWindow(page, profile)
  }

  return {
    url: () => server.url,
    kill: () => server.kill(),
    start: () => server.start(),
    visit,

    /** Somebody's window, connected. */
    async open(who: Someone, { until = 'Online', ...options }: OpenOptions = {}) {
      const window = await visit(addressOf(who, options.with), options)
      await window.isConnected(until)
      return window
    },

    /** What the server has stored of the chat of two, oldest first: "alice: hello". */
    async log(one: Someone, other: Someone): Promise<string[]> {
      const ask = await createAsk(server.url, one.id)
      const { conversations } = await ask('{ conversations(first: 50) { edges { node { id members { id } } } } }')
      const chat = conversations.edges.find(({ node }) => node.members.some(({ id }) => id === other.id))
      const { messages } = await ask(
        'query ($id: ID!) { messages(conversationId: $id, first: 100) { edges { node { body sender { id } } } } }',
        { id: chat?.node.id },
      )
      const lines = messages.edges.map(({ node }) => `${nameIn([one, other], node.sender.id)}: ${node.body}`)
      return lines.reverse()
    },
  }
}

const startOwn = async (settings: Record<string, string>) =>
  startDemoServer(await sharedService('demoServer'), settings)

async function findShared(): Promise<DemoServer> {
  const refused = async () => expect.fail('Other files use this server. Ask for one of your own.')
  return {
    url: await sharedService('demoNode'),
    crashes: [],
    start: refused,
    kill: refused,
    stop: async () => undefined,
  }
}

const nameIn = (people: Someone[], id: string): string => people.find((each) => each.id === id)?.name ?? id

const addressOf = (who: Someone, other?: Someone): string =>
  `/?${new URLSearchParams({ as: who.id, name: who.name, ...(other && { with: other.id }) })}`

type Answer = {
  conversations: { edges: { node: { id: string; members: { id: string }[] } }[] }
  messages: { edges: { node: { body: string; sender: { id: string } } }[] }
}

async function createAsk(url: string, userId: string) {
  const headers = { 'content-type': 'application/json' }
  const post = async (path: string, body: object, more = {}) =>
    (await fetch(url + path, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) })).json()
  const { token } = (await post('/dev/token', { userId })) as { token: string }
  return async (query: string, variables = {}): Promise<Answer> => {
    const authorization = `Bearer ${token}`
    const { data } = (await post('/graphql', { query, variables }, { authorization })) as { data: Answer }
    return data
  }
}
