import { expect } from 'vitest'
import { createPerson } from '../kit/person.ts'
import { createScreen, type OpenChat, type SmallChat } from './small-chat.ts'

// What happens to each client of docs/clients. Alice uses the client under test; Bob, and Alice's other device, use another node.

export type Story = Awaited<ReturnType<typeof beginStory>>
type Nodes = { near: { url: string }; far: { url: string } }

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** Begins with two and a half pages of history. */
export async function beginStory(client: string, openChat: OpenChat, pageSize: number, { near, far }: Nodes) {
  const told = pageSize * 2.5
  const [alice, bob] = [`alice-${client}`, `bob-${client}`]
  const otherDevice = await createPerson(alice, far.url)
  const friend = await createPerson(bob, far.url)
  const dave = await createPerson(`dave-${client}`, far.url)
  const first = await friend.send({ userId: alice }, 'line 1')
  const { conversationId } = first
  for (const i of numbers(2, told)) await friend.send({ conversationId }, `line ${i}`)
  const screen = createScreen()
  /** What has to be on the screen, oldest first. */
  const lines = numbers(told - pageSize + 1, told).map((i) => `${bob}: line ${i}`)
  const chat: SmallChat = await openChat({
    url: `${near.url.replace('http', 'ws')}/graphql`,
    token: () => otherDevice.token,
    userId: alice,
    conversationId,
    show: screen.show,
    notify: screen.notify,
  })

  /** What came from others since the client is there. */
  const heard: string[] = []
  const says = async (body: string) => {
    const { seq } = await friend.send({ conversationId }, body)
    lines.push(`${bob}: ${body}`)
    heard.push(`${bob}: ${body}`)
    return seq
  }
  /** In a chat that did not exist when the client subscribed. */
  const daveSays = async (body: string) => {
    heard.push(`${dave.userId}: ${body}`)
    return dave.send({ userId: alice }, body)
  }
  let sentAway: Promise<unknown> = Promise.resolve()
  const change = (from: string, to: string) => lines.splice(lines.indexOf(from), 1, to)

  return {
    async pages() {
      await screen.shows(lines)
      await chat.loadOlder()
      await chat.loadOlder()
      lines.unshift(...numbers(1, told - pageSize).map((i) => `${bob}: line ${i}`))
      await screen.shows(lines)
    },
    async live() {
      await says('a live one')
      await screen.shows(lines)
    },
    async send() {
      await chat.send('an answer')
      lines.push(`${alice}: an answer (SENT)`)
      await screen.shows(lines)
    },
    async optimistic() {
      await chat.send('seen at once')
      lines.push(`${alice}: seen at once (SENT)`)
      await screen.shows(lines)
      if (!screen.hasShown(`${alice}: seen at once (sending)`))
        throw new Error('It was not shown before it was stored.')
    },
    async ticks() {
      const own = (body: string, tick: string) => `${alice}: ${body} (${tick})`
      const { seq } = await otherDevice.send({ conversationId }, 'from my other device')
      lines.push(own('from my other device', 'SENT'))
      await screen.shows(lines)
      const turn = (tick: string) => {
        for (const [i, line] of lines.entries())
          if (line.startsWith(alice)) lines[i] = line.replace(/\(\w+\)$/, `(${tick})`)
      }
      await friend.ack(conversationId, seq)
      turn('DELIVERED')
      await screen.shows(lines)
      await friend.markRead(conversationId, seq)
      turn('READ')
      await screen.shows(lines)
    },
    async edits() {
      await friend.edit(conversationId, first.seq, 'line one')
      change(`${bob}: line 1`, `${bob}: line one`)
      await screen.shows(lines)
      const { seq } = await otherDevice.send({ conversationId }, 'a tpyo')
      await chat.edit(seq, 'a typo')
      lines.push(`${alice}: a typo (SENT)`)
      await screen.shows(lines)
    },
    async list() {
      const read = await says('read on the other device')
      await otherDevice.markRead(conversationId, read)
      await says('what the list shows')
      await screen.showsChats(['what the list shows (1 unread)'])
      await daveSays('another chat')
      await screen.showsChats(['another chat (1 unread)', 'what the list shows (1 unread)'])
    },
    /** While the node of the client is down. The other device acks everything, so that the server takes nothing for undelivered. */
    async missed() {
      await friend.edit(conversationId, first.seq + 1, 'line two')
      change(`${bob}: line 2`, `${bob}: line two`)
      for (const body of ['missed 1', 'missed 2', 'missed 3']) await says(body)
      await otherDevice.ack(conversationId, await says('missed 4'))
      const other = await daveSays('missed in the other chat')
      await otherDevice.ack(other.conversationId, other.seq)
    },
    async resume() {
      await screen.showsLine(`${bob}: missed 4`)
      await says('after the restart')
      await screen.shows(lines)
      await Promise.all(heard.map(screen.notifies))
      // What was there before the client came may be told too, for nobody had acked it.
      const later = screen.notices.filter((notice) => !/: line \d+$/.test(notice))
      expect(later.sort()).toEqual(heard.sort())
    },
    /** Begins while the node is down. */
    sendAway() {
      sentAway = chat.send('written without a server')
      // It is awaited when the node is back. Until then a failure is nobody's.
      sentAway.catch(() => undefined)
    },
    async stored() {
      await sentAway
      lines.push(`${alice}: written without a server (SENT)`)
    },
    doubles: screen.doubles,
    close: () => chat.close(),
  }
}
