// The server's side of graphql-transport-ws, on one socket. graphql-ws has the messages and close codes; its own server is not used
// because an id that a client completes and uses again at once would there get the results of both operations.

import { type ExecutionArgs, type ExecutionResult, type GraphQLError, getOperationAST } from 'graphql'
import {
  CloseCode,
  type Message,
  MessageType,
  parseMessage,
  type SubscribeMessage,
  type SubscribePayload,
} from 'graphql-ws'
import type { EventStream } from './event-stream.ts'
import { isNestedDeeper, jsonNestingMax } from './request-params.ts'

export type Peer = {
  /** Resolves when the frame is on its way; rejects when the socket is closed. */
  send(text: string): Promise<void>
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

export type Service = {
  /** Whether somebody who says this may come in. */
  connect(params: Record<string, unknown> | undefined): Promise<boolean>
  /** Everything before the execution. */
  prepare(payload: SubscribePayload, operation: Operation): Promise<ExecutionArgs | readonly GraphQLError[]>
  execute(args: ExecutionArgs): Promise<ExecutionResult>
  subscribe(args: ExecutionArgs): Promise<EventStream | ExecutionResult>
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

type Running = Operation & { stream?: EventStream }

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
        else send({ type: MessageType.Pong, ...(message.payload && { payload: message.payload }) })
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
    else void operate(id, payload)
  }

  async function judge(params: Record<string, unknown> | undefined): Promise<void> {
    state = 'being judged'
    const welcome = await service.connect(params)
    if (state !== 'being judged') return
    if (!welcome) return close(CloseCode.Forbidden, 'Forbidden')
    state = 'acknowledged'
    send({ type: MessageType.ConnectionAck })
  }

  async function operate(id: string, payload: SubscribePayload): Promise<void> {
    atWork += 1
    const operation: Running = { id, position: atWork }
    wanted.set(id, operation)
    // Before the last frame is sent: whoever has read it may use the id again.
    const finish = () => {
      atWork -= 1
      operation.release?.()
      const isWanted = wanted.get(id) === operation
      if (isWanted) wanted.delete(id)
      return isWanted
    }
    try {
      const failed = await run(operation, payload)
      if (!finish()) return
      if (failed) send({ id, type: MessageType.Error, payload: failed })
      else send({ id, type: MessageType.Complete })
    } catch (error) {
      if (finish()) send({ id, type: MessageType.Error, payload: [service.explain(error)] })
    }
  }

  /** Returns the errors of what could not be executed. */
  async function run(operation: Running, payload: SubscribePayload): Promise<readonly GraphQLError[] | undefined> {
    const isWanted = () => wanted.get(operation.id) === operation
    const next = async (result: ExecutionResult) => {
      if (isWanted()) await peer.send(JSON.stringify({ id: operation.id, type: MessageType.Next, payload: result }))
    }
    const prepared = await service.prepare(payload, operation)
    if (!('document' in prepared)) return prepared
    if (!isWanted()) return undefined
    const isSubscription = getOperationAST(prepared.document, prepared.operationName)?.operation === 'subscription'
    const result = await (isSubscription ? service.subscribe(prepared) : service.execute(prepared))
    if (!(Symbol.asyncIterator in result)) {
      await next(result)
      return undefined
    }
    operation.stream = result
    if (!isWanted()) await result.return()
    for await (const each of result) await next(each)
    return undefined
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

  /** That a peer leaves in the middle of an operation is nobody's fault: its close ends the operation. */
  function send(message: object): void {
    peer.send(JSON.stringify(message)).catch(() => undefined)
  }

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
