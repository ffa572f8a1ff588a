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
import type { Answer } from './answer.ts'
import type { EventStream } from './event-stream.ts'
import type { Prepared } from './executor.ts'
import { frameOf, nextFrame, onlyFrames } from './frames.ts'
import type { Outgoing } from './outgoing.ts'
import { isNestedDeeper, jsonNestingMax } from './request-params.ts'

export type Peer = Pick<Outgoing, 'post' | 'send' | 'sendNow'> & {
  close(code: number, reason: string): void
  /** Told of each message that asks for nothing. */
  pinged(): void
}

export type Operation = {
  readonly id: string
  /** How many there are on this socket, this one included, and those that are completed but still at work. */
  readonly position: number
  /** Called when it is over. */
  release?: () => void
}

type Judged = Prepared | readonly GraphQLError[]
export type Prepares = Judged | Promise<Judged>

export type Service = {
  /** Whether somebody who says this may come in. */
  connect(params: Record<string, unknown> | undefined): Promise<boolean>
  /** Everything before the execution. */
  prepare(payload: SubscribePayload, operation: Operation): Prepares
  /** Of a query or mutation. */
  answer(prepared: Prepared): Answer | Promise<Answer>
  /** Of a subscription. */
  follow(prepared: Prepared): Promise<EventStream<Answer> | Answer>
  /** What the client may know of a failure. */
  explain(error: unknown): GraphQLError
}

export type Conversation = {
  receive(text: string): void
  /** Nobody has introduced themselves. */
  isSilent(): boolean
  /** Lets go of all operations; resolves when their sources have. */
  end(): Promise<void>
}

type Running = Operation & { stream?: EventStream<Answer> }

export function createConversation(peer: Peer, service: Service): Conversation {
  let state: 'silent' | 'being judged' | 'acknowledged' | 'over' = 'silent'
  /** By id: those the client has not completed. */
  const wanted = new Map<string, Running>()
  let atWork = 0

  function receive(text: string): void {
    if (state === 'over') return
    const message = parse(text)
    switch (message?.type) {
      case undefined:
        close(CloseCode.BadRequest, 'Invalid message received')
        break
      case MessageType.Ping:
        peer.pinged()
        // It is echoed, and what is nested too deep cannot be written.
        if (isNestedDeeper(message.payload, jsonNestingMax)) close(CloseCode.BadRequest, 'JSON is nested too deep')
        else post({ type: MessageType.Pong, ...(message.payload && { payload: message.payload }) })
        break
      case MessageType.Pong:
        peer.pinged()
        break
      case MessageType.ConnectionInit:
        if (state === 'silent') void judge(message.payload ?? undefined)
        else close(CloseCode.TooManyInitialisationRequests, 'Too many initialisation requests')
        break
      case MessageType.Subscribe:
        subscribe(message)
        break
      case MessageType.Complete:
        complete(message.id)
        break
      default:
        close(CloseCode.BadRequest, 'Unexpected message received')
    }
  }

  function subscribe({ id, payload }: SubscribeMessage): void {
    if (state !== 'acknowledged') close(CloseCode.Unauthorized, 'Unauthorized')
    else if (wanted.has(id)) close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`)
    else operate(id, payload)
  }

  async function judge(params: Record<string, unknown> | undefined): Promise<void> {
    state = 'being judged'
    const welcome = await service.connect(params)
    if (state !== 'being judged') return
    if (!welcome) return close(CloseCode.Forbidden, 'Forbidden')
    state = 'acknowledged'
    post({ type: MessageType.ConnectionAck })
  }

  // Nothing here waits where there is nothing to wait for: what can be answered at once is answered in the turn it came.

  function operate(id: string, payload: SubscribePayload): void {
    atWork += 1
    const operation: Running = { id, position: atWork }
    wanted.set(id, operation)
    const prepared = service.prepare(payload, operation)
    if (prepared instanceof Promise) void prepared.then((judged) => run(operation, judged))
    else run(operation, prepared)
  }

  function run(operation: Running, prepared: Judged): void {
    if (!('plan' in prepared)) refuse(operation, prepared)
    else if (!isWanted(operation)) finish(operation)
    else if (prepared.plan.type === 'subscription') {
      follow(operation, prepared).catch((error) => refuse(operation, [service.explain(error)]))
    } else {
      const answer = service.answer(prepared)
      if (answer instanceof Promise) void answer.then((given) => reply(operation, given))
      else reply(operation, answer)
    }
  }

  function reply(operation: Running, answer: Answer): void {
    if (finish(operation)) peer.post(onlyFrames(operation.id, answer))
  }

  function refuse(operation: Running, errors: readonly GraphQLError[]): void {
    if (finish(operation)) post({ id: operation.id, type: MessageType.Error, payload: errors })
  }

  async function follow(operation: Running, prepared: Prepared): Promise<void> {
    const stream = await service.follow(prepared)
    if (!(Symbol.asyncIterator in stream)) return reply(operation, stream)
    operation.stream = stream
    if (!isWanted(operation)) await stream.return()
    stream.offerTo((answer) => isWanted(operation) && peer.sendNow(nextFrame(operation.id, answer)))
    for await (const each of stream) if (isWanted(operation)) await peer.send(nextFrame(operation.id, each))
    if (finish(operation)) post({ id: operation.id, type: MessageType.Complete })
  }

  const isWanted = (operation: Running): boolean => wanted.get(operation.id) === operation

  /** Before the last frame is sent: whoever has read it may use the id again. Returns whether the client still wants it. */
  function finish(operation: Running): boolean {
    atWork -= 1
    operation.release?.()
    return isWanted(operation) && wanted.delete(operation.id)
  }

  function complete(id: string): void {
    const operation = wanted.get(id)
    wanted.delete(id)
    void operation?.stream?.return()
  }

  function close(code: number, reason: string): void {
    state = 'over'
    peer.close(code, reason)
  }

  const post = (message: object): void => peer.post(frameOf(JSON.stringify(message)))

  return {
    receive,
    isSilent: () => state === 'silent',
    async end() {
      state = 'over'
      const running = [...wanted.values()]
      wanted.clear()
      await Promise.all(running.map(({ stream }) => stream?.return()))
    },
  }
}

function parse(text: string): Message | undefined {
  try {
    return parseMessage(text)
  } catch {
    return undefined
  }
}
