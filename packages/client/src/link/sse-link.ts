import { TicksChangedDocument } from '../generated/graphql.ts'
import { asClientError, type ClientError, errorFromGraphQL, networkError } from '../shared/client-error.ts'
import { readEvents } from './event-stream.ts'
import { type HttpOptions, readJson } from './http.ts'
import { type Ask, type Follow, type Link, openWithinMs, type TypedDocument } from './link.ts'

/** The server sends something at least every twelve seconds, if only a comment. */
const silenceMs = 30_000

type Sink<R> = { opened(): void; event(event: R): void; end(error: ClientError): void }

/**
 * Streams over plain HTTP, for networks that block WebSockets: GraphQL over SSE in its distinct connections mode, where each stream is a
 * POST of its own. Queries and mutations go by POST as ever.
 */
export async function openSseLink({ url, tokens, fetch, ask }: HttpOptions & { ask: Ask }): Promise<Link> {
  const address = url()
  const token = await tokens.get()
  const streams = new Set<() => void>()

  function stream<R, V>(document: TypedDocument<R, V>, variables: V, sink: Sink<R>): () => void {
    const request = new AbortController()
    let silence: ReturnType<typeof setTimeout> | undefined
    const stop = () => {
      clearTimeout(silence)
      if (streams.delete(stop)) request.abort()
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
    const receive = (name: string, text: string) => {
      if (!streams.has(stop)) return
      if (name === 'complete') return end(serverEnded())
      if (name !== 'next') return end(networkError('The stream is not one of GraphQL over SSE.'))
      const { data, errors } = JSON.parse(text)
      if (errors?.[0]) end(errorFromGraphQL(errors[0]))
      else sink.event(data)
    }
    const run = async () => {
      const response = await fetch(address, {
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify({ query: String(document), variables }),
        signal: request.signal,
      })
      if (!response.ok || !response.body) throw await refusal(response)
      sink.opened()
      heard()
      await readEvents(response.body, heard, receive)
      throw serverEnded()
    }
    streams.add(stop)
    heard()
    run().catch((error) => end(asClientError(error)))
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

  // A proxy that buffers unfinished responses would leave the client waiting for ever, so one stream must be seen to begin.
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
    fewStreams: true,
    ask,
    follow,
    // Each stream reports its own end. The link itself has no connection that could break.
    gone: new Promise(() => undefined),
    close: () => {
      for (const stop of [...streams]) stop()
    },
  }
}

const serverEnded = (): ClientError => networkError('The server ended the stream.')
