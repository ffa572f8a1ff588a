import type { TypedDocumentString } from '../generated/graphql.ts'
import type { ClientError } from '../shared/client-error.ts'

export type Via = 'websocket' | 'sse' | 'polling'

/** One question, one answer. Rejects with a ClientError. */
export type Ask = <R, V>(document: TypedDocumentString<R, V>, variables: V) => Promise<R>

/** Events until it ends, which it tells once, unless it was stopped. Returns how to stop. */
export type Follow = <R, V>(
  document: TypedDocumentString<R, V>,
  variables: V,
  sink: { event(event: R): void; end(error: ClientError): void },
) => () => void

/** A way to the server that was seen to work. */
export type Link = {
  via: Via
  ask: Ask
  /** Absent where nothing can be pushed. */
  follow?: Follow
  /** Each stream is a connection, of which a browser opens six to a host that does not speak HTTP/2: follow few. */
  narrow?: boolean
  /** Resolves when it works no longer. */
  gone: Promise<ClientError>
  close(): void
}

/** For answers that did not come; the way may be blocked without anybody saying so. */
export const openWithinMs = 5000
