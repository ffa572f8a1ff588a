import { afterAll, beforeAll, expect, it } from 'vitest'
import { openChat as openApolloChat } from './apollo-chat.ts'
import { startTwoNodes } from './nodes.ts'
import { openChat as openRelayChat } from './relay-chat.ts'
import type { OpenChat } from './small-chat.ts'
import { beginStory, type Story } from './story.ts'
import { openChat as openUrqlChat } from './urql-chat.ts'

// The chats of docs/clients, all at once, against a node that is killed under them. What ran is the table in docs/clients/README.md.

type Feature = 'pages' | 'send' | 'optimistic' | 'live' | 'ticks' | 'edits' | 'list' | 'stored' | 'resume'
type Client = { name: string; open: OpenChat; without?: Feature[] }

const clients: Client[] = [
  { name: 'apollo', open: openApolloChat },
  { name: 'urql', open: openUrqlChat },
  { name: 'relay', open: openRelayChat },
]

let nodes: Awaited<ReturnType<typeof startTwoNodes>>
const stories = new Map<string, Story>()

beforeAll(async () => {
  nodes = await startTwoNodes()
  await each(async ({ name, open }) => void stories.set(name, await beginStory(name, open, nodes)))
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
    if (!without.includes(feature)) await stories.get(name)?.[feature]()
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
    await stories.get(name)?.missed()
    if (!without.includes('stored')) stories.get(name)?.sendAway()
  })
  await nodes.near.start()
})
it('what was sent meanwhile is stored', () => tell('stored'))
it('nothing is missing', () => tell('resume'))
it('nothing was ever shown twice', () => each(async ({ name }) => expect(stories.get(name)?.doubles()).toEqual([])))
