import { randomUUID } from 'node:crypto'
import { ack, body, createGroup, sendMessage } from './documents.ts'
import { type Account, type GraphQLSocket, openGraphQLSocket } from './graphql-socket.ts'
import { accountOf } from './tokens.ts'
import { mustRetry } from './troubles.ts'

// One of our users, with one device: streams and calls share its socket, as those of the client do. Ids have 36 characters, as most apps make them.

export type Person = {
  userId: string
  socket: GraphQLSocket
  /** Hears what comes on its streams: the id of the operation, and the frame. */
  onEvent: (id: string, payload: Buffer) => void
  follow(id: string, query: { toString(): string }, variables: object): void
  /** Calls, and repeats that as long as the server says to try again. */
  call<Data>(query: string, variables: object): Promise<Data>
  /** Calls once. Resolves with whether it was answered; `false` says to try again. */
  attempt(query: string, variables: object): Promise<boolean>
  close(): void
}

export const newAccount = (): Account => accountOf(randomUUID())

export async function openPerson(port: number, account: Account): Promise<Person> {
  const socket = await openGraphQLSocket(port, account)
  const waiting = new Map<string, (payload: Buffer) => void>()
  let calls = 0
  const person: Person = {
    userId: account.userId,
    socket,
    onEvent: () => undefined,
    follow: (id, query, variables) => socket.send(socket.operation(id, query.toString(), variables)),
    call: <Data>(query: string, variables: object) =>
      new Promise<Data>((resolve) => {
        calls += 1
        const id = `call-${calls}`
        const send = () => socket.send(socket.operation(id, query, variables))
        waiting.set(id, (payload) => {
          const text = String(payload)
          if (mustRetry(text)) return send()
          const told = JSON.parse(text) as { type: string; payload: { data: Data } }
          if (told.type !== 'next') return
          waiting.delete(id)
          resolve(told.payload.data)
        })
        send()
      }),
    attempt: (query, variables) =>
      new Promise((resolve) => {
        calls += 1
        const id = `call-${calls}`
        waiting.set(id, (payload) => {
          const text = String(payload)
          if (text.includes('"type":"complete"')) return
          waiting.delete(id)
          resolve(!mustRetry(text))
        })
        socket.send(socket.operation(id, query, variables))
      }),
    close: socket.close,
  }
  socket.onText = (payload) => {
    const [, id = ''] = /"id":"([^"]+)"/.exec(payload.toString('latin1', 0, 80)) ?? []
    const answered = waiting.get(id)
    if (answered) answered(payload)
    else if (!id.startsWith('call-')) person.onEvent(id, payload)
  }
  return person
}

export type Said = { conversationId: string; seq: number }

export async function say(from: Person, to: { userId: string } | { conversationId: string }): Promise<Said> {
  const input = { clientMessageId: randomUUID(), to, body }
  const { sendMessage: sent } = await from.call<{ sendMessage: { message: { id: string; seq: number } } }>(
    sendMessage,
    { input },
  )
  const { id, seq } = sent.message
  return { conversationId: id.slice('msg_'.length, id.lastIndexOf('_')), seq }
}

export const acknowledge = (person: Person, said: Said): Promise<unknown> => person.call(ack, { input: said })

/** Returns its id. */
export async function makeGroup(founder: Person, memberIds: readonly string[]): Promise<string> {
  const input = { clientGroupId: randomUUID(), title: 'A group', memberIds }
  const made = await founder.call<{ createGroup: { conversation: { id: string } } }>(createGroup, { input })
  return made.createGroup.conversation.id
}
