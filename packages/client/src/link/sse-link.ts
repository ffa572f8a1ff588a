import { createClient } from 'graphql-sse'
import { TicksChangedDocument, type TypedDocumentString } from '../generated/graphql.ts'
import { asClientError, type ClientError, errorFromGraphQL, networkError } from '../shared/client-error.ts'
import { type HttpOptions, readJson } from './http.ts'
import { type Ask, type Follow, type Link, openWithinMs } from './link.ts'

/** The server says something at least every twelve seconds, if only that it is there. */
const silenceMs = 30_000

type Sink<R> = { opened(): void; event(event: R): void; end(error: ClientError): void }

/** Streams over plain HTTP, for networks that block WebSockets. Questions go by POST as ever. */
export async function openSseLink({ url, tokens, fetch, ask }: HttpOptions & { ask: Ask }): Promise<Link> {
  const address = url()
  const token = await tokens.get()
  const streams = new Set<() => void>()

  function stream<R, V>(document: TypedDocumentString<R, V>, variables: V, sink: Sink<R>): () => void {
    let silence: ReturnType<typeof setTimeout> | undefined
    let reason: ClientError | undefined
    const stop = () => {
      clearTimeout(silence)
      if (streams.delete(stop)) client.dispose()
    }
    const end = (error: ClientError) => {
      if (!streams.has(stop)) return
      stop()
      sink.end(error)
    }
    const heard = () => {
      clearTimeout(silence)
      if (!streams.has(stop)) return
      silence = setTimeout(() => end(networkError('The stream fell silent.')), silenceMs)
    }
    const client = createClient({
      url: address,
      headers: { authorization: `Bearer ${token}` },
      retryAttempts: 0,
      async fetchFn(input: RequestInfo, init: RequestInit) {
        const response = await fetch(input, init)
        if (!response.ok || !response.body) {
          reason = await refusal(response)
          throw reason
        }
        sink.opened()
        heard()
        return new Response(response.body.pipeThrough(new TransformStream({ transform: passOn(heard) })), response)
      },
    })
    streams.add(stop)
    heard()
    client.subscribe(
      { query: String(document), variables: variables as Record<string, unknown> },
      {
        next({ data, errors }) {
          if (!streams.has(stop)) return
          if (errors?.[0]) end(errorFromGraphQL(errors[0]))
          else sink.event(data as R)
        },
        error: (error) => end(reason ?? asClientError(error)),
        complete: () => end(networkError('The server ended the stream.')),
      },
    )
    return stop
  }

  async function refusal(response: Response): Promise<ClientError> {
    const { errors = [] } = (await readJson(response).catch(() => ({}))) as { errors?: unknown[] }
    const error = errors[0] ? errorFromGraphQL(errors[0]) : networkError(`Status ${response.status} for a stream.`)
    if (error.code === 'UNAUTHENTICATED') await tokens.refuse(token)
    return error
  }

  const follow: Follow = (document, variables, sink) =>
    stream(document, variables, { opened: () => undefined, ...sink })

  // Proxies that hold back what is not finished would leave us waiting for ever; so one stream is seen to begin.
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: ClientError) => {
      clearTimeout(timer)
      stop()
      if (error) reject(error)
      else resolve()
    }
    const timer = setTimeout(() => settle(networkError('No stream could be opened in time.')), openWithinMs)
    const stop = stream(TicksChangedDocument, {}, { opened: settle, event: () => undefined, end: settle })
  })
  return {
    via: 'sse',
    narrow: true,
    ask,
    follow,
    // Each stream tells of its own end; the link as such has nothing that could.
    gone: new Promise(() => undefined),
    close: () => {
      for (const stop of [...streams]) stop()
    },
  }
}

const passOn =
  (heard: () => void) =>
  (chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void => {
    heard()
    controller.enqueue(chunk)
  }
