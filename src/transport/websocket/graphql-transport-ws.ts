// The server's side of graphql-transport-ws, on one socket. graphql-ws has the messages and close codes; its own server is not used
// because an id that a client completes and uses again at once would there get the results of both operations.

import type { GraphQLError } from 'graphql'
import {
  CloseCode,
  type Message,
  MessageType,
  parseMessage,
  type SubscribeMessage,
  type SubscribePayload,
} from 'graphql-ws'
import type { Answer } from '../../engine/graphql/answer.ts'
import { SmallMap } from '../../shared/small-map.ts'
import { isNestedDeeper, jsonNestingMax } from '../documents/request-params.ts'
import type { EventStream, ResultSink } from '../execution/event-stream.ts'
import type { Prepared, Refusal } from '../execution/prepared.ts'
import { frameOf, nextFrame, onlyFrames } from './frames.ts'
import type { Outgoing } from './outgoing.ts'

export type Peer = {
  readonly outgoing: Pick<Outgoing, 'post' | 'postIfRoom' | 'send'>
  close(code: number, reason: string): void
  /** Told of each message that asks for nothing. */
  pinged(): void
}

export type Operation = {
  readonly id: string
  /** How many there are on this socket, this one included, and those that are completed but still at work. */
  readonly position: number
  /** Called when it is over. */
  release: (() => void) | undefined
}

type Judged = Prepared | Refusal
export type Prepares = Judged | Promise<Judged>

export type Service = {
  /** Whether somebody who says this may come in. */
  connect(params: Record<string, unknown> | undefined): Promise<boolean>
  /** Everything before the execution. */
  prepare(payload: SubscribePayload, operation: Operation): Prepares
  /** Of a query or mutation. */
  answer(prepared: Prepared): Answer | Promise<Answer>
  /** Of a subscription. */
  follow(prepared: Prepared): Promise<EventStream | Answer>
  /** What the client may know of a failure. */
  explain(error: unknown): GraphQLError
}

/** An operation at work. It takes the results of its subscription itself, which may be silent for days: it is one small object. */
class Running implements Operation, ResultSink {
  readonly id: string
  readonly position: number
  release: (() => void) | undefined = undefined
  stream: EventStream | undefined = undefined
  /** The client has not completed it. */
  wanted = true
  readonly #conversation: Conversation
  readonly #outgoing: Peer['outgoing']

  constructor(conversation: Conversation, outgoing: Peer['outgoing'], id: string, position: number) {
    this.#conversation = conversation
    this.#outgoing = outgoing
    this.id = id
    this.position = position
  }

  tryPush(answer: Answer): boolean {
    return this.wanted && this.#outgoing.postIfRoom(nextFrame(this.id, answer))
  }

  push(answer: Answer): Promise<void> | undefined {
    return this.wanted ? this.#outgoing.send(nextFrame(this.id, answer)) : undefined
  }

  end(error: unknown): void {
    this.#conversation.ended(this, error)
  }
}

/** One for each open socket, so it holds little while nothing happens. */
export class Conversation {
  readonly #peer: Peer
  readonly #service: Service
  #state: 'silent' | 'being judged' | 'acknowledged' | 'over' = 'silent'
  /** By id: those the client has not completed. */
  readonly #wanted = new SmallMap<string, Running>()
  #atWork = 0

  constructor(peer: Peer, service: Service) {
    this.#peer = peer
    this.#service = service
  }

  receive(text: string): void {
    if (this.#state === 'over') return
    const message = parse(text)
    switch (message?.type) {
      case undefined:
        this.#close(CloseCode.BadRequest, 'Invalid message received')
        break
      case MessageType.Ping:
        this.#peer.pinged()
        // It is echoed, and what is nested too deep cannot be written.
        if (isNestedDeeper(message.payload, jsonNestingMax))
          this.#close(CloseCode.BadRequest, 'JSON is nested too deep')
        else this.#post({ type: MessageType.Pong, ...(message.payload && { payload: message.payload }) })
        break
      case MessageType.Pong:
        this.#peer.pinged()
        break
      case MessageType.ConnectionInit:
        if (this.#state === 'silent') void this.#judge(message.payload ?? undefined)
        else this.#close(CloseCode.TooManyInitialisationRequests, 'Too many initialisation requests')
        break
      case MessageType.Subscribe:
        this.#subscribe(message)
        break
      case MessageType.Complete:
        this.#complete(message.id)
        break
      default:
        this.#close(CloseCode.BadRequest, 'Unexpected message received')
    }
  }

  /** Nobody has introduced themselves. */
  get isSilent(): boolean {
    return this.#state === 'silent'
  }

  /** A subscription is over. */
  ended(operation: Running, error: unknown): void {
    if (error !== undefined) this.#refuse(operation, [this.#service.explain(error)])
    else if (this.#finish(operation)) this.#post({ id: operation.id, type: MessageType.Complete })
  }

  /** Lets go of all operations; resolves when their sources have. */
  async end(): Promise<void> {
    this.#state = 'over'
    const running = [...this.#wanted].map(([, operation]) => operation)
    for (const each of running) each.wanted = false
    this.#wanted.clear()
    await Promise.all(running.map(({ stream }) => stream?.return()))
  }

  #subscribe({ id, payload }: SubscribeMessage): void {
    if (this.#state !== 'acknowledged') this.#close(CloseCode.Unauthorized, 'Unauthorized')
    else if (this.#wanted.has(id)) this.#close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`)
    else this.#operate(id, payload)
  }

  async #judge(params: Record<string, unknown> | undefined): Promise<void> {
    this.#state = 'being judged'
    const welcome = await this.#service.connect(params)
    if (this.#state !== 'being judged') return
    if (!welcome) return this.#close(CloseCode.Forbidden, 'Forbidden')
    this.#state = 'acknowledged'
    this.#post({ type: MessageType.ConnectionAck })
  }

  // Nothing here waits where there is nothing to wait for: what can be answered at once is answered in the turn it came.

  #operate(id: string, payload: SubscribePayload): void {
    this.#atWork += 1
    const operation = new Running(this, this.#peer.outgoing, id, this.#atWork)
    this.#wanted.set(id, operation)
    const prepared = this.#service.prepare(payload, operation)
    if (prepared instanceof Promise) void prepared.then((judged) => this.#run(operation, judged))
    else this.#run(operation, prepared)
  }

  #run(operation: Running, prepared: Judged): void {
    if ('errors' in prepared) this.#refuse(operation, prepared.errors)
    else if (!operation.wanted) this.#finish(operation)
    else if (prepared.plan.type === 'subscription') {
      this.#follow(operation, prepared).catch((error) => this.#refuse(operation, [this.#service.explain(error)]))
    } else {
      const answer = this.#service.answer(prepared)
      if (answer instanceof Promise) void answer.then((given) => this.#reply(operation, given))
      else this.#reply(operation, answer)
    }
  }

  #reply(operation: Running, answer: Answer): void {
    if (this.#finish(operation)) this.#peer.outgoing.post(onlyFrames(operation.id, answer))
  }

  #refuse(operation: Running, errors: readonly GraphQLError[]): void {
    if (this.#finish(operation)) this.#post({ id: operation.id, type: MessageType.Error, payload: errors })
  }

  async #follow(operation: Running, prepared: Prepared): Promise<void> {
    const stream = await this.#service.follow(prepared)
    if (!(Symbol.asyncIterator in stream)) return this.#reply(operation, stream)
    operation.stream = stream
    if (!operation.wanted) await stream.return()
    stream.deliverTo(operation)
  }

  /** Before the last frame is sent: whoever has read it may use the id again. Returns whether the client still wants it. */
  #finish(operation: Running): boolean {
    this.#atWork -= 1
    operation.release?.()
    return this.#forget(operation)
  }

  #complete(id: string): void {
    const operation = this.#wanted.get(id)
    if (operation && this.#forget(operation)) void operation.stream?.return()
  }

  #forget(operation: Running): boolean {
    if (!operation.wanted) return false
    operation.wanted = false
    return this.#wanted.delete(operation.id)
  }

  #close(code: number, reason: string): void {
    this.#state = 'over'
    this.#peer.close(code, reason)
  }

  #post(message: object): void {
    this.#peer.outgoing.post(frameOf(JSON.stringify(message)))
  }
}

function parse(text: string): Message | undefined {
  try {
    return parseMessage(text)
  } catch {
    return undefined
  }
}
