// Both servers of graphql-transport-ws have this in common: ours (protocol.lean.ts) and that of graphql-ws (protocol.graphql-ws.ts). Calls go
// in one direction: the socket calls its ProtocolConnection, which calls the ProtocolOperations. What comes back is returned, or goes out by
// the `Peer` that the socket hands down.

import type { DocumentNode, GraphQLError } from 'graphql'
import type { SubscribePayload } from 'graphql-ws'
import type { Answer, JointAnswer } from '../graphql/answer.ts'
import type { Outgoing } from './outgoing.ts'

/** The server of this name speaks the protocol. */
export type ProtocolName = 'lean' | 'graphql-ws'

/** Everything leaves a socket through this. */
export type Peer = {
  readonly outgoing: Pick<Outgoing, 'post' | 'postIfRoom' | 'send'>
  /** Closes the socket. It calls `end` of the ProtocolConnection. */
  close(code: number, reason: string): void
}

/** The protocol's state on one socket. */
export type ProtocolConnection = {
  /** Handles a text message. Returns whether it was a ping or a pong, which ask for no work. */
  receive(text: string): boolean
  /** Whether the client has sent `connection_init`. */
  readonly isInitialised: boolean
  /** Ignores what comes from now on, and lets go of all operations. Resolves when their sources have ended. */
  end(): Promise<void>
}

export type OpenProtocol<Prepared extends PreparedOperation> = (
  peer: Peer,
  operations: ProtocolOperations<Prepared>,
) => ProtocolConnection

/** The application implements this for connections and operations. There may be one object for each socket. */
export type ProtocolOperations<Prepared extends PreparedOperation> = {
  /** Decides about a `connection_init`. Never rejects. */
  connect(params: Record<string, unknown> | undefined): Promise<'accepted' | CloseReason>
  /** Does everything that comes before the execution. Never rejects. */
  prepare(payload: SubscribePayload, operation: StartedOperation): Judged<Prepared> | Promise<Judged<Prepared>>
  /** Executes a query or mutation. Never rejects: errors are in the answer. */
  execute(prepared: Prepared): Answer | Promise<Answer>
  /** Opens a subscription. */
  subscribe(prepared: Prepared): Promise<ResultStream | Answer>
  /** Returns what the client may know of a failure. */
  toGraphQLError(error: unknown): GraphQLError
}

export type CloseReason = { readonly code: number; readonly reason: string }

export type StartedOperation = {
  readonly id: string
  /** This many operations are on this socket, including this one and those that the client has completed but that still run. */
  readonly position: number
  /** It is called when the operation is over. */
  release: (() => void) | undefined
}

/** An operation that may run. */
export type PreparedOperation = {
  readonly plan: {
    readonly type: 'query' | 'mutation' | 'subscription'
    readonly document: DocumentNode
    readonly operationName: string | undefined
  }
}

export type Judged<Prepared> = Prepared | { readonly errors: readonly GraphQLError[] }

/** The results of a subscription. They are read either as an iterator or by a sink. */
export interface ResultStream extends AsyncIterableIterator<Answer, undefined> {
  /** Hands all results to the sink, and then tells it of the end. */
  deliverTo(sink: ResultSink): void
  return(): Promise<IteratorReturnResult<undefined>>
}

/** Accepts the results of a stream. It is an object and not a function, as there is one for each open subscription. */
export interface ResultSink {
  /** Accepts a result in the turn in which its event is heard, if there is room. Returns whether it has. */
  tryPush(result: Answer): boolean
  /** Does the same with several results, but for the one at `except`. A sink without it takes them one by one. */
  tryPushAll?(results: JointAnswer, except: number): boolean
  /** Accepts a result. The next one comes when the promise resolves. */
  push(result: Answer): Promise<void> | undefined
  /** It is called once, with the error that ended the stream if there was one. */
  end(error: unknown): void
}
