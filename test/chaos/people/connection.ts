import { type Client, createClient } from 'graphql-ws'
import WebSocket from 'ws'
import type { Loss, Outcome, Refusal } from '../checks/history.ts'

// A client talks to a node through this. It tells three outcomes apart: an answer, an error that the server answered with, or nothing. In the
// last case the request may have been carried out all the same.

/** This is longer than the server's own deadline, so that silence means a node that is gone or stopped. */
const patienceMs = 4000

/** A document as text, or one that has a text. */
export type Operation = { toString(): string }
export type Ending = { refused?: Refusal; lost?: Loss }
export type Subscription = {
  node: string
  /** Closes it cleanly. */
  close(): void
  /** Breaks it, as when the network goes away. */
  drop(): void
  ended: Promise<Ending>
}

/** A socket that is dropped while it still connects fails once more, after its listeners are gone. */
class DroppableSocket extends WebSocket {
  constructor(...given: ConstructorParameters<typeof WebSocket>) {
    super(...given)
    this.on('error', () => undefined)
  }
}

export function createConnection(token: string) {
  const authorization = `Bearer ${token}`
  const sockets = new Map<string, Client>()

  const openSocket = (node: string, lazyCloseTimeout = 0) =>
    createClient({
      url: `${node.replace('http', 'ws')}/graphql`,
      webSocketImpl: DroppableSocket,
      connectionParams: { authorization },
      retryAttempts: 0,
      lazyCloseTimeout,
      // Every loss is reported to the operations under way, and only they need to know.
      onNonLazyError: () => undefined,
    })

  async function post<T>(url: string, body: object, read: (answer: unknown) => Outcome<T>): Promise<Outcome<T>> {
    let text: string
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(patienceMs),
      })
      text = await response.text()
    } catch (error) {
      return { lost: { reason: reasonOf(error) } }
    }
    try {
      return read(JSON.parse(text))
    } catch {
      return { refused: { code: undefined, retryable: false, message: `not JSON: ${text.slice(0, 200)}` } }
    }
  }

  function overSocket<T>(node: string, query: string, variables: Record<string, unknown>): Promise<Outcome<T>> {
    const known = sockets.get(node)
    const client = known ?? openSocket(node, 5000)
    sockets.set(node, client)
    return new Promise((resolve) => {
      const settle = (outcome: Outcome<T>) => {
        clearTimeout(timer)
        resolve(outcome)
        unsubscribe()
      }
      const timer = setTimeout(() => settle({ lost: { reason: 'no answer in time' } }), patienceMs)
      const unsubscribe = client.subscribe(
        { query, variables },
        {
          next: (result) => settle(readGraphQL<T>(result)),
          error: (error) => settle(failureOf(error)),
          complete: () => settle({ lost: { reason: 'completed without a result' } }),
        },
      )
    })
  }

  return {
    ask<T>(via: 'ws' | 'http', node: string, document: Operation, variables: object): Promise<Outcome<T>> {
      const query = String(document)
      if (via === 'http') return post(`${node}/graphql`, { query, variables }, readGraphQL<T>)
      return overSocket(node, query, variables as Record<string, unknown>)
    },

    rest: <T>(node: string, body: object): Promise<Outcome<T>> => post(`${node}/messages`, body, readRest<T>),

    /** Opens a socket of its own. */
    subscribe<T>(node: string, document: Operation, variables: object, next: (data: T) => void): Subscription {
      const client = openSocket(node)
      let unsubscribe: () => void = () => undefined
      let dropped = false
      const ended = new Promise<Ending>((resolve) => {
        const end = (ending: Ending) => {
          resolve(dropped ? { lost: { reason: 'dropped by the device' } } : ending)
          void dismiss(client)
        }
        unsubscribe = client.subscribe<T>(
          { query: String(document), variables: variables as Record<string, unknown> },
          {
            next: (result) => {
              const outcome = readGraphQL<T>(result)
              if ('answer' in outcome) next(outcome.answer)
              // An event has failed: the device has lost its position and comes back.
              else end(outcome)
            },
            error: (error) => end(failureOf(error)),
            complete: () => end({}),
          },
        )
      })
      return {
        node,
        ended,
        close() {
          unsubscribe()
          void dismiss(client)
        },
        drop() {
          dropped = true
          client.terminate()
          // Where there was no connection yet, nothing has ended by this.
          unsubscribe()
        },
      }
    },

    async close(): Promise<void> {
      await Promise.all([...sockets.values()].map(dismiss))
    },
  }
}

/** A socket that is still connecting may fail at that, but no caller waits for it any more. */
async function dismiss(client: Client): Promise<void> {
  try {
    await client.dispose()
  } catch {
    // There is no connection, which is what was wanted.
  }
}

type GraphQLAnswer = { data?: unknown; errors?: readonly unknown[] }

function readGraphQL<T>(result: unknown): Outcome<T> {
  const { data, errors } = result as GraphQLAnswer
  if (errors?.[0]) return { refused: refusalOf(errors[0]) }
  return { answer: data as T }
}

function readRest<T>(answer: unknown): Outcome<T> {
  const { error } = answer as { error?: { message: string } }
  return error ? { refused: refusalOf({ message: error.message, extensions: error }) } : { answer: answer as T }
}

function refusalOf(error: unknown): Refusal {
  const { message, extensions } = error as { message: string; extensions?: Record<string, unknown> }
  const code = typeof extensions?.code === 'string' ? extensions.code : undefined
  const field = typeof extensions?.field === 'string' ? { field: extensions.field } : {}
  return { code, retryable: extensions?.retryable === true, message, ...field }
}

/** `reported` is what graphql-ws reports: an error message's payload, a close event, or an error. */
function failureOf(reported: unknown): { refused: Refusal } | { lost: Loss } {
  if (Array.isArray(reported)) return { refused: refusalOf(reported[0]) }
  const { code, reason } = reported as { code?: unknown; reason?: unknown }
  if (typeof code === 'number') return { lost: { reason: `closed: ${code} ${reason}`, closeCode: code } }
  return { lost: { reason: reasonOf(reported) } }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } }
  return [message, cause?.code ?? cause?.message].filter(Boolean).join(': ') || String(error)
}
