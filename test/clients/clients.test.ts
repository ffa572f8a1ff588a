import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openChat as openApolloChat } from './apollo-chat.ts'
import { startTwoNodes } from './nodes.ts'
import { openParleyChat } from './parley-chat.ts'
import { openPlainChat } from './plain-chat.ts'
import { overGraphqlRequest, overGraphqlSse, overGraphqlWs } from './plain-wires.ts'
import { openChat as openRelayChat } from './relay-chat.ts'
import type { OpenChat } from './small-chat.ts'
import { beginStory, type Story } from './story.ts'
import { openChat as openUrqlChat } from './urql-chat.ts'

// The chats of docs/clients, all at once, against a node that is killed under them. What ran is the table in docs/clients/README.md.

type Feature = 'pages' | 'send' | 'optimistic' | 'live' | 'ticks' | 'edits' | 'list' | 'stored' | 'resume'
type Client = { name: string; title: string; open: OpenChat; pageSize?: number; without?: Feature[] }

const manifest = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../${path}package.json`, import.meta.url), 'utf8'))
const versions = { ...manifest('').dependencies, ...manifest('test/').dependencies }
const withVersion = (name: string, title = name) => `${title} ${versions[name]}`
const noStreams: Feature[] = ['live', 'optimistic', 'ticks', 'edits', 'list', 'stored', 'resume']

const clients: Client[] = [
  { name: 'apollo', title: `[${withVersion('@apollo/client', 'Apollo Client')}](apollo.md)`, open: openApolloChat },
  {
    name: 'urql',
    title: `[urql with graphcache ${versions['@urql/exchange-graphcache']}](urql.md)`,
    open: openUrqlChat,
  },
  { name: 'relay', title: `[${withVersion('relay-runtime', 'Relay')}](relay.md)`, open: openRelayChat },
  { name: 'ws', title: withVersion('graphql-ws'), open: openPlainChat(overGraphqlWs), without: ['optimistic'] },
  {
    name: 'sse',
    title: withVersion('graphql-sse'),
    open: openPlainChat(overGraphqlSse),
    without: ['optimistic', 'stored'],
  },
  {
    name: 'request',
    title: withVersion('graphql-request'),
    open: openPlainChat(overGraphqlRequest),
    without: noStreams,
  },
  { name: 'parley', title: '[@parley/client](../client.md)', open: openParleyChat, pageSize: 50 },
]

/** What ran, by client. */
const ran = new Map<string, Set<Feature>>(clients.map(({ name }) => [name, new Set()]))

let nodes: Awaited<ReturnType<typeof startTwoNodes>>
const stories = new Map<string, Story>()

beforeAll(async () => {
  nodes = await startTwoNodes()
  await each(async ({ name, open, pageSize = 10 }) => {
    stories.set(name, await beginStory(name, open, pageSize, nodes))
  })
})
afterAll(async () => {
  await Promise.all([...stories.values()].map((story) => story.close()))
  await nodes?.stop()
})

/** Runs it for all clients at once, and says which of them failed. */
async function each(run: (client: Client) => Promise<unknown>): Promise<void> {
  const failed = await Promise.all(
    clients.map((client) =>
      run(client).then(
        () => [],
        (error: unknown) => [`${client.name}: ${error instanceof Error ? error.stack : JSON.stringify(error)}`],
      ),
    ),
  )
  expect(failed.flat().join('\n\n')).toBe('')
}

const tell = (feature: Feature) =>
  each(async ({ name, without = [] }) => {
    if (without.includes(feature)) return
    await stories.get(name)?.[feature]()
    ran.get(name)?.add(feature)
  })

it('three pages of history', () => tell('pages'))
it('a message that is sent', () => tell('send'))
it('a live message', () => tell('live'))
it('a message that is shown before it is stored', () => tell('optimistic'))
it('ticks that turn', () => tell('ticks'))
it('edits, of others and of one’s own', () => tell('edits'))
it('the chat list', () => tell('list'))

it('the server is killed, messages come, another device acks them, and the server is started again', async () => {
  await nodes.near.kill()
  await each(async ({ name, without = [] }) => {
    if (!without.includes('resume')) await stories.get(name)?.missed()
    if (!without.includes('stored')) stories.get(name)?.sendAway()
  })
  await nodes.near.start()
})
it('what was sent meanwhile is stored', () => tell('stored'))
it('nothing is missing', () => tell('resume'))
it('nothing was ever shown twice', () => each(async ({ name }) => expect(stories.get(name)?.doubles()).toEqual([])))

const columns: Record<Feature, string> = {
  pages: 'pages of history',
  send: 'send',
  optimistic: 'shown before it is stored',
  live: 'live messages',
  ticks: 'ticks',
  edits: 'edits',
  list: 'chat list',
  stored: 'sent while the server is away',
  resume: 'nothing missing after a restart, though another device acked',
}

it('docs/clients/README.md shows what ran; `npx vitest run test/clients -u` writes it', async () => {
  const page = fileURLToPath(new URL('../../docs/clients/README.md', import.meta.url))
  const rows = clients.map(({ name, title }) => [
    title,
    ...Object.keys(columns).map((feature) => (ran.get(name)?.has(feature as Feature) ? 'yes' : '–')),
  ])
  const table = [['client', ...Object.values(columns)], Array(10).fill('---'), ...rows]
    .map((row) => `| ${row.join(' | ')} |\n`)
    .join('')
  const written = readFileSync(page, 'utf8').replace(/^\| client \|.*\n(?:\|.*\n)*/m, table)
  await expect(written).toMatchFileSnapshot(page)
})
