import type { GraphQLError } from 'graphql'
import { MessageType, type SubscribePayload } from 'graphql-ws'
import { SmallMap } from '../../shared/small-map.ts'
import type { Answer, JointAnswer } from '../graphql/answer.ts'
import { messageFrame, nextFrame, nextFrames, onlyFrames } from './frames.ts'
import type {
  Judged,
  Peer,
  PreparedOperation,
  ProtocolOperations,
  ResultSink,
  ResultStream,
  StartedOperation,
} from './protocol.ts'

/** The operations of one socket: those that the client waits for, by id, and how many run. */
export class ActiveOperations<Prepared extends PreparedOperation> {
  readonly #outgoing: Peer['outgoing']
  readonly #operations: ProtocolOperations<Prepared>
  /** The client has not completed these. */
  readonly #wanted = new SmallMap<string, ActiveOperation>()
  #running = 0

  constructor(outgoing: Peer['outgoing'], operations: ProtocolOperations<Prepared>) {
    this.#outgoing = outgoing
    this.#operations = operations
  }

  has(id: string): boolean {
    return this.#wanted.has(id)
  }

  // Nothing here waits where there is nothing to wait for: what can be answered at once is answered in the turn it came.

  start(id: string, payload: SubscribePayload): void {
    this.#running += 1
    const operation = new ActiveOperation(this, this.#outgoing, id, this.#running)
    this.#wanted.set(id, operation)
    const prepared = this.#operations.prepare(payload, operation)
    if (prepared instanceof Promise) void prepared.then((judged) => this.#run(operation, judged))
    else this.#run(operation, prepared)
  }

  /** The client has completed the operation. */
  complete(id: string): void {
    const operation = this.#wanted.get(id)
    if (operation && this.#forget(operation)) void operation.stream?.return()
  }

  /** Lets go of all operations. Resolves when their sources have ended. */
  async end(): Promise<void> {
    const wanted = [...this.#wanted].map(([, operation]) => operation)
    for (const each of wanted) each.isWanted = false
    this.#wanted.clear()
    await Promise.all(wanted.map(({ stream }) => stream?.return()))
  }

  /** The stream of a subscription has ended. */
  streamEnded(operation: ActiveOperation, error: unknown): void {
    if (error !== undefined) this.#refuse(operation, [this.#operations.toGraphQLError(error)])
    else if (this.#finish(operation)) {
      this.#outgoing.post(messageFrame({ id: operation.id, type: MessageType.Complete }))
    }
  }

  #run(operation: ActiveOperation, prepared: Judged<Prepared>): void {
    if ('errors' in prepared) this.#refuse(operation, prepared.errors)
    else if (!operation.isWanted) this.#finish(operation)
    else if (prepared.plan.type === 'subscription') {
      this.#subscribe(operation, prepared).catch((error) =>
        this.#refuse(operation, [this.#operations.toGraphQLError(error)]),
      )
    } else {
      const answer = this.#operations.execute(prepared)
      if (answer instanceof Promise) void answer.then((given) => this.#reply(operation, given))
      else this.#reply(operation, answer)
    }
  }

  async #subscribe(operation: ActiveOperation, prepared: Prepared): Promise<void> {
    const stream = await this.#operations.subscribe(prepared)
    // A stream that does not begin is refused like an operation that is not prepared, so that clients know one shape.
    if (!(Symbol.asyncIterator in stream)) return this.#refuse(operation, stream.result?.errors ?? [])
    operation.stream = stream
    if (!operation.isWanted) await stream.return()
    stream.deliverTo(operation)
  }

  #reply(operation: ActiveOperation, answer: Answer): void {
    if (this.#finish(operation)) this.#outgoing.post(onlyFrames(operation.id, answer))
  }

  #refuse(operation: ActiveOperation, errors: readonly GraphQLError[]): void {
    if (!this.#finish(operation)) return
    this.#outgoing.post(messageFrame({ id: operation.id, type: MessageType.Error, payload: errors }))
  }

  /**
   * It is called before the last frame is sent: a client that has read that frame may use the id again. Returns whether the client waits for
   * it.
   */
  #finish(operation: ActiveOperation): boolean {
    this.#running -= 1
    operation.release?.()
    return this.#forget(operation)
  }

  #forget(operation: ActiveOperation): boolean {
    if (!operation.isWanted) return false
    operation.isWanted = false
    return this.#wanted.delete(operation.id)
  }
}

/** It accepts the results of its subscription itself. A subscription may be silent for days, so this is one small object. */
class ActiveOperation implements StartedOperation, ResultSink {
  readonly id: string
  readonly position: number
  release: (() => void) | undefined = undefined
  stream: ResultStream | undefined = undefined
  /** Whether the client has not completed it. */
  isWanted = true
  readonly #owner: Pick<ActiveOperations<PreparedOperation>, 'streamEnded'>
  readonly #outgoing: Peer['outgoing']

  constructor(
    owner: Pick<ActiveOperations<PreparedOperation>, 'streamEnded'>,
    outgoing: Peer['outgoing'],
    id: string,
    position: number,
  ) {
    this.#owner = owner
    this.#outgoing = outgoing
    this.id = id
    this.position = position
  }

  tryPush(answer: Answer): boolean {
    return this.isWanted && this.#outgoing.postIfRoom(nextFrame(this.id, answer))
  }

  tryPushAll(results: JointAnswer, except: number): boolean {
    return this.isWanted && this.#outgoing.postIfRoom(...nextFrames(this.id, results, except))
  }

  push(answer: Answer): Promise<void> | undefined {
    return this.isWanted ? this.#outgoing.send(nextFrame(this.id, answer)) : undefined
  }

  end(error: unknown): void {
    this.#owner.streamEnded(this, error)
  }
}
