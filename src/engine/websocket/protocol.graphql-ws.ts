// This implements the same interface by the server of graphql-ws. README.md lists in what the two differ.

import type {
  ExecutionArgs,
  ExecutionResult,
  FormattedExecutionResult,
  GraphQLError,
  GraphQLFormattedError,
} from 'graphql'
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer, type SubscribePayload } from 'graphql-ws'
import { isNestedDeeper, jsonNestingMax } from '../../shared/json-nesting.ts'
import type { Answer } from '../graphql/answer.ts'
import { frameOf } from './frames.ts'
import type {
  OpenProtocol,
  Peer,
  PreparedOperation,
  ProtocolConnection,
  ProtocolOperations,
  StartedOperation,
} from './protocol.ts'

/** Returns a function that opens connections on one server of graphql-ws. */
export function createGraphqlWsProtocol<Prepared extends PreparedOperation>(): OpenProtocol<Prepared> {
  type Connection = GraphqlWsConnection<Prepared>
  const server = makeServer<Record<string, unknown>, Connection>({
    // The socket has a deadline of its own, by a clock that is handed in.
    connectionInitWaitTimeout: 0,
    onConnect: ({ extra, connectionParams }) => extra.connect(connectionParams),
    onPing: ({ extra }, payload) => extra.ping(payload),
    onPong: ({ extra }) => extra.pong(),
    onSubscribe: ({ extra }, id, payload) => extra.prepare(id, payload),
    execute: (args) => connectionOf(args).execute(args),
    subscribe: (args) => connectionOf(args).subscribe(args),
    // Answers are JSON already, which the library writes once more.
    onNext: (_context, _id, _payload, _args, result) => payloadOf(result),
    onError: ({ extra }, _id, _payload, errors) => extra.mapErrors(errors),
  })

  return (peer, operations) => {
    const connection: Connection = new GraphqlWsConnection(peer, operations)
    connection.closed = server.opened(connection, connection)
    return connection
  }

  function connectionOf({ contextValue }: Readonly<ExecutionArgs>): Connection {
    return (contextValue as Context<Prepared>).connection
  }
}

type Context<Prepared extends PreparedOperation> = { connection: GraphqlWsConnection<Prepared>; prepared: Prepared }

/** The library passes results through to `onNext`, so what it takes for a result is the answer itself. */
const resultOf = (answer: Answer): ExecutionResult => answer as unknown as ExecutionResult
const payloadOf = (result: unknown) => JSON.parse((result as Answer).json) as FormattedExecutionResult

/** Carries all errors of a stream that did not begin through the library, which knows only one. */
class RefusedStream extends Error {
  readonly errors: readonly GraphQLError[]

  constructor(errors: readonly GraphQLError[]) {
    super('A stream did not begin.')
    this.errors = errors
  }
}

/** The library answers a stream that fails with an error message, and a stream that did not begin with a result. Ours is always an error. */
const refusedStream = ({ result }: Answer): AsyncIterable<ExecutionResult> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new RefusedStream(result?.errors ?? [])) }),
})

/** A connection as the library's server sees it, and as our socket sees it. */
class GraphqlWsConnection<Prepared extends PreparedOperation> implements ProtocolConnection {
  readonly protocol = GRAPHQL_TRANSPORT_WS_PROTOCOL
  isInitialised = false
  closed: (() => Promise<void>) | undefined = undefined
  readonly #peer: Peer
  readonly #operations: ProtocolOperations<Prepared>
  #receive: ((text: string) => Promise<void>) | undefined
  #isOver = false
  #running = 0
  /** This says what the message that is being received has turned out to be. The hooks below are called before `#receive` first waits. */
  #isPing = false
  #started: StartedOperation | undefined

  constructor(peer: Peer, operations: ProtocolOperations<Prepared>) {
    this.#peer = peer
    this.#operations = operations
  }

  receive(text: string): boolean {
    if (this.#isOver) return false
    this.#isPing = false
    this.#started = undefined
    const handled = this.#receive?.(text)
    const started = this.#started
    // The promise of a subscribe message lasts as long as its operation.
    void handled
      ?.catch((error: unknown) => this.#fail(error))
      .then(() => {
        if (started) this.#finish(started)
      })
    return this.#isPing
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.closed?.()
  }

  // ---- what the library calls of a socket

  onMessage(receive: (text: string) => Promise<void>): void {
    this.#receive = receive
  }

  send(text: string): Promise<void> {
    return this.#peer.outgoing.send(frameOf(text))
  }

  close(code = 1000, reason = ''): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#peer.close(code, reason)
  }

  // ---- its hooks

  async connect(params: Record<string, unknown> | undefined): Promise<boolean> {
    this.isInitialised = true
    const decision = await this.#operations.connect(params)
    if (decision === 'accepted') return !this.#isOver
    this.close(decision.code, decision.reason)
    return false
  }

  ping(payload: Record<string, unknown> | undefined): void {
    this.#isPing = true
    if (!isNestedDeeper(payload, jsonNestingMax)) return
    this.close(CloseCode.BadRequest, 'JSON is nested too deep')
    throw new Error('A pong would echo JSON that is nested too deep.')
  }

  pong(): void {
    this.#isPing = true
  }

  async prepare(id: string, payload: SubscribePayload): Promise<ExecutionArgs | readonly GraphQLError[]> {
    this.#running += 1
    const operation: StartedOperation = { id, position: this.#running, release: undefined }
    this.#started = operation
    const prepared = await this.#operations.prepare(payload, operation)
    if ('errors' in prepared) return prepared.errors
    const { document, operationName } = prepared.plan
    const contextValue: Context<Prepared> = { connection: this, prepared }
    return { document, operationName, contextValue, rootValue: undefined } as Partial<ExecutionArgs> as ExecutionArgs
  }

  async execute({ contextValue }: Readonly<ExecutionArgs>): Promise<ExecutionResult> {
    return resultOf(await this.#operations.execute((contextValue as Context<Prepared>).prepared))
  }

  async subscribe({ contextValue }: Readonly<ExecutionArgs>): Promise<AsyncIterable<ExecutionResult>> {
    const opened = await this.#operations.subscribe((contextValue as Context<Prepared>).prepared)
    return 'json' in opened ? refusedStream(opened) : (opened as unknown as AsyncIterable<ExecutionResult>)
  }

  /** The library wraps the error that ended a stream. */
  mapErrors(errors: readonly GraphQLError[]): readonly GraphQLFormattedError[] {
    return errors
      .flatMap((error) => (error.originalError instanceof RefusedStream ? error.originalError.errors : [error]))
      .map((error) => this.#operations.toGraphQLError(error.originalError ?? error).toJSON())
  }

  #finish(operation: StartedOperation): void {
    this.#running -= 1
    operation.release?.()
  }

  /** The library rejects for messages that a client may not send, and leaves it to its caller how to close. */
  #fail(error: unknown): void {
    if (this.#isOver) return
    const { message } = error as Error
    if (message.startsWith('Unexpected message of type'))
      this.close(CloseCode.BadRequest, 'Unexpected message received')
    else {
      // This is a bug, which the mapping writes to the log.
      this.#operations.toGraphQLError(error)
      this.close(CloseCode.InternalServerError, 'Internal server error')
    }
  }
}
