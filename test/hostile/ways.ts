import { once } from 'node:events'
import WebSocket from 'ws'
import type { ErrorCode } from '../../src/protocol/errors.ts'
import { errorTable } from '../../src/protocol/errors.ts'

/** A way is how a request reaches a node. The same refusal looks different on each. */
export type Way = 'POST' | 'GET' | 'SSE' | 'WebSocket' | 'REST'

/**
 * `refused`: the document was refused before its values were looked at, or a subscription does not begin. `unfit`: a value does not fit its
 * type. `failed`: a field failed after execution had begun; others may have an answer.
 */
export type Outcome = { kind: keyof typeof looks; code: ErrorCode; field?: string }

export const refused = (code: ErrorCode, field?: string): Outcome => ({
  kind: 'refused',
  code,
  ...(field && { field }),
})
export const unfit = (code: ErrorCode, field?: string): Outcome => ({ kind: 'unfit', code, ...(field && { field }) })
export const failed = (code: ErrorCode, field?: string): Outcome => ({ kind: 'failed', code, ...(field && { field }) })

/** A client sees this of a refusal: the status or the type of the frame, and the error. */
type Seen = { as: number | string; code: unknown; field: unknown; retryable: unknown }

const looks = {
  refused: { POST: 400, GET: 400, SSE: 200, WebSocket: 'error' },
  unfit: { POST: 400, GET: 400, SSE: 200, WebSocket: 'next' },
  failed: { POST: 200, GET: 200, SSE: 200, WebSocket: 'next' },
} as const

export function expectedOn(way: Way, { kind, code, field }: Outcome): Seen {
  const { retryable, status } = errorTable[code]
  return { as: way === 'REST' ? status : looks[kind][way], code, field, retryable }
}

export type Request = { query: string; variables?: unknown; operationName?: unknown }

type Shown = { errors?: { extensions?: Record<string, unknown> }[]; error?: Record<string, unknown> }

const seen = (as: number | string, answer: Shown): Seen => {
  const { code, field, retryable } = answer.error ?? answer.errors?.[0]?.extensions ?? {}
  return { as, code, field, retryable }
}

const accept = 'application/graphql-response+json'

/** Opens the ways to one node, for a user with this token. */
export async function openWays(url: string, authorization: string) {
  const socket = await openSocket(url, authorization)

  const post = async (body: string): Promise<Seen> => {
    const headers = { accept, 'content-type': 'application/json', authorization }
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body })
    return seen(response.status, (await response.json()) as Shown)
  }

  const ask: Record<Exclude<Way, 'REST'>, (request: Request) => Promise<Seen>> = {
    POST: (request) => post(JSON.stringify(request)),
    async GET({ query, variables, operationName }) {
      const search = new URLSearchParams({ query })
      if (variables !== undefined) search.set('variables', JSON.stringify(variables))
      if (operationName !== undefined) search.set('operationName', String(operationName))
      const response = await fetch(`${url}/graphql?${search}`, { headers: { accept, authorization } })
      return seen(response.status, (await response.json()) as Shown)
    },
    async SSE(request) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { accept: 'text/event-stream', 'content-type': 'application/json', authorization },
        body: JSON.stringify(request),
      })
      const events = await response.text()
      const [, data = '{}'] = /^event: next\ndata: (.*)$/m.exec(events) ?? [undefined, events]
      if (response.ok && !events.includes('event: complete')) throw new Error(`No end: ${events}`)
      return seen(response.status, JSON.parse(data))
    },
    WebSocket: (request) => socket.ask(request),
  }

  return {
    ask,
    post,
    socket,
    async rest(input: unknown): Promise<Seen> {
      const response = await fetch(`${url}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify(input),
      })
      return seen(response.status, (await response.json()) as Shown)
    },
    /** The next request is served at once, also on the socket that has seen it all. */
    async stillServes(): Promise<void> {
      const next = { query: '{ viewer { id } }' }
      const answers = await Promise.all([ask.POST(next), ask.WebSocket(next)])
      const well = answers.every(({ code, as }) => code === undefined && (as === 200 || as === 'next'))
      if (!well) throw new Error(`The next request was answered with ${JSON.stringify(answers)}`)
    },
    close: () => socket.terminate(),
  }
}

export type Ways = Awaited<ReturnType<typeof openWays>>

/** Opens a socket on which operations are run, one after the other. */
async function openSocket(url: string, authorization: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  const waiting = new Map<string, (seen: Seen) => void>()
  let closed: string | undefined
  let count = 0
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }))
  await once(socket, 'message')
  socket.on('message', (data) => {
    const { id, type, payload } = JSON.parse(String(data))
    if (type === 'error') waiting.get(id)?.(seen(type, { errors: payload }))
    if (type === 'next') waiting.get(id)?.(seen(type, payload))
  })
  socket.on('close', (code, reason) => {
    closed = `The socket was closed: ${code} ${reason}`
    for (const [id, answer] of waiting)
      answer({ as: `${closed} (${id})`, code: undefined, field: undefined, retryable: undefined })
  })

  return {
    terminate: () => socket.terminate(),
    ask(request: Request): Promise<Seen> {
      if (closed !== undefined) return Promise.reject(new Error(closed))
      count += 1
      const id = String(count)
      return new Promise((resolve) => {
        waiting.set(id, (answer) => {
          waiting.delete(id)
          resolve(answer)
        })
        socket.send(JSON.stringify({ type: 'subscribe', id, payload: request }))
      })
    },
  }
}
