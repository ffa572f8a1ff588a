import { directConversationId } from '../../src/domain/conversations/conversation-id.ts'
import type { UserId } from '../../src/protocol/ids.ts'
import type { Subject } from '../bench.ts'
import { ack as acknowledgement, body, messageAdded, sendMessage, ticksChanged } from './documents.ts'
import { ask, openGraphQLSocket } from './graphql-socket.ts'
import { openIo } from './io-socket.ts'
import { accountOf } from './tokens.ts'
import { mustRetry } from './troubles.ts'
import { frameOf, openSocket } from './web-socket.ts'

// Two people: one sends, the other's device gets it and says so, and the sender's sees the double tick. In the words of each server.

export type Pair = {
  send(): void
  close(): void
}
type PairEvents = { delivered(): void; ticked(): void }

/** Opens a pair. With ours the receiver may be at another node, that of `receiverPort`. */
export function openPair(
  subject: Subject,
  name: string,
  events: PairEvents,
  receiverPort = subject.port,
): Promise<Pair> {
  if (subject.who === 'raw ws') return openRawPair(subject, name, events)
  if (subject.who === 'socket.io') return openIoPair(subject, name, events)
  return openGraphQLPair(subject, name, events, receiverPort)
}

const run = process.pid.toString(36)

async function openGraphQLPair(
  { who, port }: Subject,
  name: string,
  events: PairEvents,
  receiverPort: number,
): Promise<Pair> {
  const [alice, bob] = [accountOf(`a-${name}`), accountOf(`b-${name}`)]
  const [sender, receiver] = await Promise.all([openGraphQLSocket(port, alice), openGraphQLSocket(receiverPort, bob)])
  const isOurs = who === 'parley'
  const conversationId = isOurs ? directConversationId(alice.userId as UserId, bob.userId as UserId) : name
  const first = { clientMessageId: `${run}-${name}`, to: isOurs ? { userId: bob.userId } : { conversationId }, body }
  await ask(sender, sendMessage, { input: first })
  // Ours follows everything its user is in; the others have a topic per conversation.
  const variables = isOurs ? {} : { conversationId }
  let [sent, seq, ticked, operations] = [0, 0, 0, 0]

  function acknowledge(): void {
    operations += 1
    receiver.send(receiver.operation(`k${operations}`, acknowledgement, { input: { conversationId, seq } }))
  }
  const follow = (): void => receiver.send(receiver.operation('added', messageAdded, variables))
  function sendAgain(): void {
    operations += 1
    const input = { clientMessageId: `${run}-${name}-${sent}`, to: { conversationId }, body }
    sender.send(sender.operation(`s${operations}`, sendMessage, { input }))
  }

  receiver.onText = (payload) => {
    const text = payload.toString('latin1')
    if (mustRetry(text)) return seq > 0 ? acknowledge() : follow()
    if (!text.includes('"messageAdded"')) return
    const arrived = seqIn(text)
    if (arrived <= seq) return
    seq = arrived
    acknowledge()
    if (sent > 0) events.delivered()
  }
  sender.onText = (payload) => {
    const text = payload.toString('latin1')
    if (mustRetry(text)) return sendAgain()
    const [, delivered] = /"lastDeliveredSeq":(\d+)/.exec(text) ?? []
    if (delivered === undefined || Number(delivered) < seq || seq <= ticked) return
    ticked = seq
    if (sent > 0) events.ticked()
  }
  sender.send(sender.operation('ticks', ticksChanged, variables))
  follow()
  return {
    send() {
      sent += 1
      sendAgain()
    },
    close() {
      sender.close()
      receiver.close()
    },
  }
}

async function openIoPair({ port }: Subject, name: string, events: PairEvents): Promise<Pair> {
  const [sender, receiver] = await Promise.all([openIo(port, `a-${name}`, name), openIo(port, `b-${name}`, name)])
  let sent = 0
  receiver.onText = (payload) => {
    const text = payload.toString('latin1')
    if (!text.startsWith('42["message"')) return
    const seq = seqIn(text)
    receiver.send(frameOf(`42${seq}${JSON.stringify(['delivered', { conversationId: name, seq }])}`))
    events.delivered()
  }
  sender.onText = (payload) => {
    if (payload.toString('latin1', 0, 9) === '42["ticks') events.ticked()
  }
  return {
    send() {
      sent += 1
      sender.send(frameOf(`42${sent}${JSON.stringify(['send', { conversationId: name, body }])}`))
    },
    close() {
      sender.close()
      receiver.close()
    },
  }
}

async function openRawPair({ port }: Subject, name: string, events: PairEvents): Promise<Pair> {
  const path = `/room/${name}`
  const [sender, receiver] = await Promise.all([openSocket({ port, path }), openSocket({ port, path })])
  const message = frameOf(rawMessage)
  const ticks = frameOf(
    JSON.stringify({ ticks: { conversationId: name, userId: `b-${name}`, lastDeliveredSeq: 1000 } }),
  )
  receiver.onText = () => {
    receiver.send(ticks)
    events.delivered()
  }
  sender.onText = () => events.ticked()
  return {
    send: () => sender.send(message),
    close() {
      sender.close()
      receiver.close()
    },
  }
}

/** This is as long as what ours delivers. */
export const rawMessage = JSON.stringify({
  id: 'added',
  type: 'next',
  payload: {
    data: {
      messageAdded: {
        message: {
          id: 'msg_dm_aaaaaaaaaaaaaaaaaaaaaaaaaaa_1000',
          conversationId: 'dm_aaaaaaaaaaaaaaaaaaaaaaaaaaa',
          seq: 1000,
          messageId: '7000000000000000000',
          sender: { id: 'a-parley-17' },
          body,
          sentAt: '2026-01-01T00:00:00.000Z',
        },
        cursor: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
        previousSeq: 999,
        catchUp: false,
      },
    },
  },
})

const seqIn = (text: string): number => Number(/"seq":(\d+)/.exec(text)?.[1])
