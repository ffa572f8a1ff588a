import { setTimeout as sleep } from 'node:timers/promises'
import { ack, body, messageAdded, sendMessage } from './documents.ts'
import { type Account, ask, type GraphQLSocket, openGraphQLSocket } from './graphql-socket.ts'
import { accountOf } from './tokens.ts'
import { countLost } from './troubles.ts'

// One person writes to another at a fixed pace, whatever happens meanwhile: what is not accepted is sent again until it is.

/** All times are ms of `performance.now()`. */
export type Told = { firstTriedAt: number; acceptedAt: number; heardAt: number | undefined }

export type ConversationLoad = Awaited<ReturnType<typeof openConversationLoad>>

const everyMs = 250
const retryMs = 50
/** A client that gets no answer for so long asks again. */
const answerMs = 10_000

export async function openConversationLoad(senderPort: number, receiverPort: number, name: string) {
  const [alice, bob] = [accountOf(`a-${name}`), accountOf(`b-${name}`)]
  let sender = await openGraphQLSocket(senderPort, alice)
  let receiver = await openGraphQLSocket(receiverPort, bob)
  await ask(sender, sendMessage, { input: { clientMessageId: `${name}-0`, to: { userId: bob.userId }, body } })
  const told = new Map<number, Told>()
  const heard = new Map<number, number>()
  const answers = new Map<string, (payload: string) => void>()
  let operations = 0
  let ending = false

  const hear = (payload: Buffer): void => {
    const text = String(payload)
    if (!text.includes('"messageAdded"')) return
    const { message } = JSON.parse(text).payload.data.messageAdded
    if (!heard.has(message.seq)) heard.set(message.seq, performance.now())
    operations += 1
    const input = { conversationId: message.conversationId, seq: message.seq }
    receiver.send(receiver.operation(`k${operations}`, ack, { input }))
  }
  const take = (payload: Buffer): void => {
    const text = String(payload)
    const { id, type } = JSON.parse(text) as { id?: string; type: string }
    if (type === 'complete' || id === undefined) return
    answers.get(id)?.(text)
    answers.delete(id)
  }
  useSender()
  useReceiver()

  function useSender(): void {
    sender.onText = take
    sender.onLost = () =>
      again(senderPort, alice, (socket) => {
        sender = socket
        useSender()
      })
  }
  function useReceiver(): void {
    receiver.onText = hear
    receiver.onLost = () =>
      again(receiverPort, bob, (socket) => {
        receiver = socket
        useReceiver()
      })
    receiver.send(receiver.operation('added', messageAdded, {}))
  }

  /** Resolves to the seq, or to undefined where it has to be sent again. */
  async function attempt(clientMessageId: string): Promise<number | undefined> {
    operations += 1
    const id = `s${operations}`
    const answered = new Promise<string>((resolve) => answers.set(id, resolve))
    const input = { clientMessageId, to: { userId: bob.userId }, body }
    sender.send(sender.operation(id, sendMessage, { input }))
    const text = await Promise.race([answered, sleep(answerMs, '')])
    const [, seq] = /"seq":(\d+)/.exec(text) ?? []
    if (seq === undefined && text !== '' && !text.includes('"retryable":true'))
      throw new Error(`It was answered: ${text}`)
    return seq === undefined ? undefined : Number(seq)
  }

  async function sendOne(clientMessageId: string): Promise<void> {
    const firstTriedAt = performance.now()
    for (;;) {
      const seq = await attempt(clientMessageId)
      if (seq !== undefined) {
        told.set(seq, { firstTriedAt, acceptedAt: performance.now(), heardAt: undefined })
        return
      }
      await sleep(retryMs)
    }
  }

  async function work(): Promise<void> {
    for (let n = 1; !ending; n += 1) {
      const nextAt = performance.now() + everyMs
      await sendOne(`${name}-${n}`)
      await sleep(Math.max(0, nextAt - performance.now()))
    }
  }
  const worked = work()

  return {
    /** Returns what was accepted so far, in its order. */
    told: (): Told[] =>
      [...told].sort(([one], [other]) => one - other).map(([seq, each]) => ({ ...each, heardAt: heard.get(seq) })),
    async end(): Promise<void> {
      ending = true
      await worked
    },
    close(): void {
      sender.close()
      receiver.close()
    },
  }
}

/** A machine that is too busy loses sockets, as networks do. */
function again(port: number, account: Account, use: (socket: GraphQLSocket) => void): void {
  countLost()
  openGraphQLSocket(port, account).then(use, () => setTimeout(again, retryMs, port, account, use))
}
