import { readFileSync } from 'node:fs'
import { buildSchema, execute, type GraphQLObjectType, type GraphQLSchema, parse, validate } from 'graphql'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { exampleTabs } from '../../src/dev/graphiql-tabs.ts'
import type { Viewer } from '../../src/protocol/viewer.ts'
import { connectBrowser } from '../kit/browser.ts'
import { start, token } from '../transport/kit.ts'
import { createSource } from '../transport/schema.ts'

const sdl = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8')
const browserHeaders = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the page', () => {
  test('is for browsers, where it is switched on', async () => {
    const server = await start()
    const response = await fetch(`${server.url}/graphql?query={me}`, { headers: browserHeaders })
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(await response.text()).toContain('<title>Parley</title>')
  })

  test('is not there otherwise', async () => {
    const off = await start({ env: { GRAPHIQL: 'false' } })
    const response = await fetch(`${off.url}/graphql`, { headers: browserHeaders })
    expect(response.headers.get('content-type')).toContain('json')
  })

  test('hands out tokens in development mode only', async () => {
    const development = await start({ development: true })
    const other = await start()
    const tokens = /Bearer eyJ/g
    const pages = await Promise.all(
      [development, other].map(async ({ url }) => (await fetch(`${url}/graphql`, { headers: browserHeaders })).text()),
    )
    expect(pages.map((page) => tokens.test(page))).toEqual([true, false])
  })
})

test.each(
  exampleTabs('dm_1', 'hello-1').map((tab) => [tab.query.match(/(?:query|mutation|subscription) (\w+)/)?.[1], tab]),
)('the example tab %s says what to do and fits the schema', (_name, { query, variables }) => {
  const schema = buildSchema(sdl)
  const document = parse(query)
  expect(query).toMatch(/^# \d\. /)
  expect(validate(schema, document)).toEqual([])
  const { errors = [] } = execute({
    schema,
    document,
    variableValues: variables ?? {},
    rootValue: null,
  }) as object as {
    errors?: { message: string }[]
  }
  expect(errors.filter(({ message }) => message.startsWith('Variable'))).toEqual([])
})

describe('in a browser', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await connectBrowser()
  })
  afterAll(() => browser.close())

  async function open(url: string): Promise<{ page: Page; contacted: Set<string>; complaints: string[] }> {
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    const contacted = new Set<string>()
    const complaints: string[] = []
    page.on('request', (request) => contacted.add(new URL(request.url()).origin))
    page.on('websocket', (socket) => contacted.add(new URL(socket.url()).origin.replace('ws', 'http')))
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(`${url}/graphql`)
    await page.locator('.graphiql-execute-button').waitFor()
    return { page, contacted, complaints }
  }

  const play = (page: Page) => page.locator('.graphiql-execute-button').click()
  // Monaco's spaces do not break.
  const shows = (page: Page, text: RegExp) => page.getByLabel('Result Window').filter({ hasText: text }).waitFor()

  /** It takes GraphiQL a moment to know the operation of a tab that was just opened: until then it says so. */
  const playUntil = async (page: Page, text: RegExp): Promise<void> => {
    await play(page)
    await shows(page, new RegExp(`${text.source}|Cannot\\sinfer`))
    if ((await page.getByLabel('Result Window').filter({ hasText: text }).count()) === 0) await playUntil(page, text)
  }

  test('the tabs work by pressing play, and no other host is asked for anything', async () => {
    const { schema, source, asked } = realSchema()
    const server = await start({ development: true, schema, createContext: (viewer) => ({ viewer }) })
    const { page, contacted, complaints } = await open(server.url)
    const tabs = page.locator('.graphiql-tab')
    expect(await tabs.count()).toBe(6)
    await play(page)
    await asked.subscription
    source.push(1)
    await shows(page, /Hello,\sBob!/)
    await page.getByText('AliceSends', { exact: true }).first().click()
    await page
      .getByLabel('Operation Editor')
      .filter({ hasText: /Alice\swrites/ })
      .waitFor()
    await playUntil(page, /"duplicate"/)
    expect(asked.viewers).toEqual(['bob', 'alice'])
    expect([...contacted].filter((origin) => !['null', server.url].includes(origin))).toEqual([])
    expect(complaints).toEqual([])
  })

  test('tabs kept from an earlier visit get fresh tokens', async () => {
    let visit = 0
    const { schema } = realSchema()
    const devTokens = { issue: (userId: string) => token(userId, { claims: { visit } }) }
    const server = await start({ development: true, devTokens, schema, createContext: (viewer) => ({ viewer }) })
    const { page } = await open(server.url)
    const visits = () =>
      page.evaluate(() => {
        const kept = (globalThis as never as { localStorage: { getItem(key: string): string } }).localStorage
        const tokens = kept.getItem('graphiql:tabState').match(/eyJ[\w-]+\.[\w-]+/g) ?? []
        return tokens.map((text) => JSON.parse(atob(text.split('.')[1] ?? '')).visit)
      })
    await page.getByText('AliceSends', { exact: true }).first().click()
    await expect.poll(visits).toEqual([0, 0, 0, 0, 0, 0])
    visit = 1
    await page.reload()
    await page.locator('.graphiql-execute-button').waitFor()
    expect(await visits()).toEqual([1, 1, 1, 1, 1, 1])
  })
})

/** The committed schema, with as much behind it as the first two tabs need. */
function realSchema() {
  const schema = buildSchema(sdl)
  const source = createSource()
  const viewers: (string | undefined)[] = []
  let subscribed: () => void = () => undefined
  const subscription = new Promise<void>((resolve) => {
    subscribed = resolve
  })
  const message = { id: 'msg_dm_1_1', seq: 1, conversationId: 'dm_1', body: 'Hello, Bob!', tick: 'SENT' }
  type Context = { viewer: Viewer | undefined }
  const messageAdded = fieldOf(schema, 'Subscription', 'messageAdded')
  messageAdded.subscribe = (_root, _args, { viewer }: Context) => {
    viewers.push(viewer?.userId)
    subscribed()
    return source
  }
  messageAdded.resolve = () => ({
    catchUp: false,
    previousSeq: 0,
    message: { ...message, sender: { id: 'alice' }, sentAt: '2026-01-01T00:00:00.000Z' },
  })
  fieldOf(schema, 'Mutation', 'sendMessage').resolve = (_root, _args, { viewer }: Context) => {
    viewers.push(viewer?.userId)
    return { duplicate: false, message }
  }
  return { schema, source, asked: { viewers, subscription } }
}

function fieldOf(schema: GraphQLSchema, type: string, name: string) {
  const field = (schema.getType(type) as GraphQLObjectType).getFields()[name]
  if (!field) throw new Error(`${type}.${name} is not in the schema.`)
  return field
}
