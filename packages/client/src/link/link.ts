import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core'
import type { ClientError } from '../shared/client-error.ts'

export type Via = 'websocket' | 'sse' | 'polling'

/** A document as text that knows its types: one of `@parley/client/documents`, or one that your own code generator has made. */
export type TypedDocument<R, V> = DocumentTypeDecoration<R, V> & { toString(): string }

/** Runs a query or a mutation once. Rejects with a ClientError. */
export type Ask = <R, V>(document: TypedDocument<R, V>, variables: V) => Promise<R>

/** Subscribes. `end` is called once when the stream ends, unless it was stopped. Returns a function that stops it. */
export type Follow = <R, V>(
  document: TypedDocument<R, V>,
  variables: V,
  sink: { event(event: R): void; end(error: ClientError): void },
) => () => void

/** An open connection to the server over one transport. */
export type Link = {
  via: Via
  ask: Ask
  /** Is absent if the transport cannot push. */
  follow?: Follow
  /** Each stream is a connection of its own, and browsers open only six to a host without HTTP/2. */
  fewStreams?: boolean
  /** Resolves when the link no longer works. */
  gone: Promise<ClientError>
  close(): void
}

/** A network may block a transport without an error, so opening has a time limit. */
export const openWithinMs = 5000
