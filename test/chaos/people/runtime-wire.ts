import { setMaxListeners } from 'node:events'
import WebSocket from 'ws'

// This is the wire of one life of an application. Everything that goes over it can be broken off, for a moment or for good. Every refusal is
// seen here, also those that the client runtime keeps to itself.

export type Wire = ReturnType<typeof createWire>

type WireOptions = { onClosed: (code: number) => void; onProblem: (text: string) => void }

export function createWire({ onClosed, onProblem }: WireOptions) {
  const sockets = new Set<WebSocket>()
  let air = fresh()
  let isCut = false

  class WatchedSocket extends WebSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given)
      sockets.add(this)
      // A socket that is dropped while it still connects fails once more, when it has no listener any more.
      this.on('error', () => undefined)
      this.on('close', (code) => {
        sockets.delete(this)
        onClosed(code)
      })
      this.on('message', (data) => watch(parsed(String(data))))
      if (isCut) this.terminate()
    }
  }

  async function fetchIt(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    if (isCut) throw new Error('There is no network.')
    const signals = init?.signal ? [init.signal, air.signal] : [air.signal]
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) })
    if (response.headers.get('content-type')?.includes('json')) {
      response
        .clone()
        .text()
        .then(
          (text) => watch({ payload: parsed(text) }),
          () => undefined,
        )
    }
    return response
  }

  function watch(message: unknown): void {
    const { payload } = Object(message) as { payload?: unknown }
    const { errors = Array.isArray(payload) ? payload : [] } = Object(payload) as { errors?: unknown[] }
    for (const error of errors) {
      const { message: text, extensions } = Object(error) as { message?: string; extensions?: Refused }
      const { code, retryable } = extensions ?? {}
      if ((code === 'UNAVAILABLE' || code === 'RATE_LIMITED') && retryable === true) continue
      // In groups this refusal may be right. Where the application asked for it, the answer is judged.
      if (code !== undefined && properInGroups.includes(code)) continue
      onProblem(`it was refused: ${code ?? 'an error without a code'}: ${text}`)
    }
  }

  function drop(): void {
    for (const socket of sockets) socket.terminate()
    air.abort()
    air = fresh()
  }

  return {
    fetch: fetchIt as typeof fetch,
    webSocket: WatchedSocket as unknown as typeof globalThis.WebSocket,
    /** Breaks off everything under way. */
    drop,
    /** Breaks it off for good: nothing comes or goes any more. */
    cut(): void {
      isCut = true
      drop()
    },
  }
}

const properInGroups: readonly string[] = ['NOT_FOUND', 'FORBIDDEN', 'BAD_USER_INPUT']

type Refused = { code?: string; retryable?: boolean }

function fresh(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
