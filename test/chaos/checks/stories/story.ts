import { check } from '../checker.ts'
import {
  type BoundaryCall,
  emptyHistory,
  type History,
  type MessageSeen,
  type MessageStream,
  type Outcome,
  type PageCall,
  type SendCall,
} from '../history.ts'

export const chat = 'dm_chat'
export const node = 'http://node'

export const message = (seq: number, senderId: string, body: string): MessageSeen => ({
  conversationId: chat,
  seq,
  id: `msg_${seq}`,
  messageId: String(seq * 100),
  senderId,
  body,
  clientMessageId: null,
})

export const one = message(1, 'alice', 'a-1 hello')
export const three = message(3, 'bob', 'b-1 hello')
export const four = message(4, 'alice', 'a-2 how are you?')
export const log = [one, three, four]

export const shownTo = (userId: string) => (each: MessageSeen) => ({
  ...each,
  clientMessageId: each.senderId === userId ? (each.body.split(' ')[0] ?? null) : null,
})

export function send(
  atMs: number,
  sent: MessageSeen,
  outcome?: Outcome<{ message: MessageSeen; duplicate: boolean }>,
): SendCall {
  const { senderId: userId, body, conversationId } = sent
  const clientMessageId = body.split(' ')[0] ?? ''
  return {
    kind: 'send',
    client: `${userId}/phone`,
    userId,
    node,
    ask: { conversationId, clientMessageId, body, via: 'http', to: 'person' },
    askedAtMs: atMs,
    endedAtMs: atMs + 5,
    outcome: outcome ?? { answer: { message: shownTo(userId)(sent), duplicate: false } },
  }
}

export function bound(
  kind: 'ack' | 'read',
  atMs: number,
  seq: number,
  [delivered, read]: [number, number],
): BoundaryCall {
  const answer = { conversationId: chat, userId: 'bob', lastDeliveredSeq: delivered, lastReadSeq: read }
  const ask = { conversationId: chat, seq }
  return {
    kind,
    client: 'bob/phone',
    userId: 'bob',
    node,
    ask,
    askedAtMs: atMs,
    endedAtMs: atMs + 5,
    outcome: { answer },
  }
}

export function page(atMs: number, messages: MessageSeen[], more = false, count = 10): PageCall {
  const ask = { conversationId: chat, count, from: 'newest', cursor: false } as const
  const answer = { messages: messages.map(shownTo('bob')), more }
  return {
    kind: 'page',
    client: 'bob/phone',
    userId: 'bob',
    node,
    ask,
    askedAtMs: atMs,
    endedAtMs: atMs + 5,
    outcome: { answer },
  }
}

export const follow = (
  userId: string,
  events: [MessageSeen, number][],
  given: Partial<MessageStream> = {},
): MessageStream => ({
  client: `${userId}/phone`,
  userId,
  node,
  openedAtMs: 0,
  events: events.map(([each, previousSeq]) => ({
    message: shownTo(userId)(each),
    previousSeq,
    catchUp: false,
    atMs: each.seq * 10 + 6,
  })),
  ...given,
})

export const allEvents: [MessageSeen, number][] = [
  [one, 0],
  [three, 1],
  [four, 3],
]

/** Alice and Bob have three messages and a seq that was skipped. Nothing is wrong. */
export function aStory(change: (story: History) => void = () => undefined): History {
  const story = emptyHistory({ [chat]: ['alice', 'bob'], dm_other: ['carol', 'dave'] })
  story.devices.push(
    { client: 'alice/phone', userId: 'alice', sinceMs: 0, away: [] },
    { client: 'bob/phone', userId: 'bob', sinceMs: 0, away: [] },
  )
  story.calls.push(
    send(10, one),
    send(30, three),
    bound('ack', 35, 1, [1, 0]),
    send(40, four),
    page(50, [four, three, one]),
  )
  story.streams.push(follow('alice', allEvents), follow('bob', allEvents))
  for (const userId of ['alice', 'bob']) {
    for (const direction of ['newest first', 'oldest first'] as const) {
      story.walks.push({ node, userId, conversationId: chat, direction, messages: log.map(shownTo(userId)) })
    }
  }
  change(story)
  return story
}

export const judge = (change: (story: History) => void) =>
  check(aStory(change)).map(({ promise, text }) => `${promise}: ${text}`)

export const dropFromLog = (story: History, seq: number) => {
  for (const walk of story.walks) walk.messages = walk.messages.filter((each) => each.seq !== seq)
}
