import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

type Seen = { message: { seq: number; clientMessageId: string | null; conversation?: { unreadCount: number } } }

/** Returns everything after the first message that the person is told under this document, on a socket of its own. */
function watch({ url, token }: Person, conversationId: string, fields: string) {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  })
  const seen: Seen[] = []
  client.subscribe<{ messageAdded: Seen }>(
    {
      query: `subscription ($after: [PositionInput!]) { messageAdded(after: $after) { ${fields} } }`,
      variables: { after: [{ conversationId, seq: 1 }] },
    },
    {
      next: ({ data }) => void (data && seen.push(data.messageAdded)),
      error: () => undefined,
      complete: () => undefined,
    },
  )
  return { seen, stop: () => client.dispose(), last: () => seen.at(-1)?.message }
}

it('a live message is the same to all who ask the same, but for what is only the sender’s or the viewer’s own', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  await alice.send(bob, 'first')
  const chat = world.chatOf(alice, bob)
  const plain = 'message { seq clientMessageId } previousSeq catchUp'
  const personal = 'message { seq clientMessageId conversation { unreadCount } }'
  const atBob = [watch(bob, chat, plain), watch(bob, chat, plain), watch(bob, chat, personal)]
  const atAlice = [watch(alice, chat, plain), watch(alice, chat, personal)]
  await Promise.all([world.online(alice), world.online(bob)])
  for (const seq of [2, 3, 4]) {
    const clientMessageId = crypto.randomUUID()
    await alice.send(bob, `m${seq}`, { clientMessageId })
    for (const each of atBob) await expect.poll(each.last).toMatchObject({ seq, clientMessageId: null })
    for (const each of atAlice) await expect.poll(each.last).toMatchObject({ seq, clientMessageId })
    expect(atBob[2]?.last()?.conversation?.unreadCount).toBe(seq)
    expect(atAlice[1]?.last()?.conversation?.unreadCount).toBe(0)
  }
  await Promise.all([...atBob, ...atAlice].map((each) => each.stop()))
})
