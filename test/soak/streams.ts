import WebSocket from 'ws'
import type { Person } from '../kit/person.ts'

export type Position = { conversationId: string; seq: number }
/** A stream of messages, the same over every transport. */
export type Stream = { taken(): Position[]; stop(goodbye: boolean): Promise<void> }

/** `failed` hears of every end that was not asked for. */
export function followOverWs(person: Person, after: Position[], failed: (error: unknown) => void): Stream {
  const log = person.follow(after.length > 0 ? { after } : {})
  let stopped = false
  void log.fails().then((error) => stopped || failed(error))
  return {
    taken: () => log.events.splice(0).map(({ message: { conversationId, seq } }) => ({ conversationId, seq })),
    async stop(goodbye) {
      stopped = true
      await (goodbye ? log.stop() : Promise.race([log.drop(), log.fails()]))
    },
  }
}

const subscription = `subscription ($after: [PositionInput!]) {
  messageAdded(after: $after) { message { conversationId seq } }
}`

export function followOverSse(person: Person, after: Position[], failed: (error: unknown) => void): Stream {
  const gone = new AbortController()
  let taken: Position[] = []

  async function read(): Promise<void> {
    const response = await fetch(`${person.url}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${person.token}`,
      },
      body: JSON.stringify({ query: subscription, variables: after.length > 0 ? { after } : {} }),
      signal: gone.signal,
    })
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) take(event)
    }
    throw new Error('The stream ended.')
  }

  function take(event: string): void {
    const data = /^data: *(\{.*\})$/m.exec(event)?.[1]
    if (!data) return
    const { data: value, errors } = JSON.parse(data)
    if (errors) throw { code: errors[0].extensions.code }
    taken.push(value.messageAdded.message)
  }

  read().catch((error) => gone.signal.aborted || failed(error))
  return {
    taken() {
      const all = taken
      taken = []
      return all
    },
    async stop() {
      gone.abort()
    },
  }
}

/** Subscribes to everything and reads nothing of it. */
export async function openSlowReader({ url, token }: Person): Promise<{ terminate(): void }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  socket.on('error', () => socket.terminate())
  await new Promise((resolve) => socket.once('open', resolve).once('close', resolve))
  if (socket.readyState !== WebSocket.OPEN) throw new Error('The slow reader got no socket.')
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }))
  await new Promise((resolve) => socket.once('message', resolve).once('close', resolve))
  const after = { query: subscription.replace('($after: [PositionInput!])', '').replace('(after: $after)', '') }
  socket.send(JSON.stringify({ type: 'subscribe', id: 'slow', payload: after }))
  socket.pause()
  return { terminate: () => socket.terminate() }
}
