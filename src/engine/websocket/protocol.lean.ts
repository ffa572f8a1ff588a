import { CloseCode, type Message, MessageType, parseMessage, type SubscribeMessage } from 'graphql-ws'
import { isNestedDeeper, jsonNestingMax } from '../../shared/json-nesting.ts'
import { ActiveOperations } from './active-operations.ts'
import { messageFrame } from './frames.ts'
import type { Peer, PreparedOperation, ProtocolConnection, ProtocolOperations } from './protocol.ts'

/** This is our own server of the protocol. graphql-ws only parses the messages, and names their types and close codes. */
export const openLeanProtocol = <Prepared extends PreparedOperation>(
  peer: Peer,
  operations: ProtocolOperations<Prepared>,
): ProtocolConnection => new LeanConnection(peer, operations)

/** There is one for each open socket, so it holds little while nothing happens. */
class LeanConnection<Prepared extends PreparedOperation> implements ProtocolConnection {
  readonly #peer: Peer
  readonly #operations: ProtocolOperations<Prepared>
  readonly #active: ActiveOperations<Prepared>
  #state: 'opened' | 'connecting' | 'acknowledged' | 'ended' = 'opened'

  constructor(peer: Peer, operations: ProtocolOperations<Prepared>) {
    this.#peer = peer
    this.#operations = operations
    this.#active = new ActiveOperations(peer.outgoing, operations)
  }

  get isInitialised(): boolean {
    return this.#state !== 'opened'
  }

  receive(text: string): boolean {
    if (this.#state === 'ended') return false
    const message = parse(text)
    switch (message?.type) {
      case undefined:
        this.#close(CloseCode.BadRequest, 'Invalid message received')
        return false
      case MessageType.Ping:
        // A pong echoes the payload, and a payload that is nested too deep cannot be written.
        if (isNestedDeeper(message.payload, jsonNestingMax))
          this.#close(CloseCode.BadRequest, 'JSON is nested too deep')
        else this.#post({ type: MessageType.Pong, ...(message.payload && { payload: message.payload }) })
        return true
      case MessageType.Pong:
        return true
      case MessageType.ConnectionInit:
        if (this.#state === 'opened') void this.#connect(message.payload ?? undefined)
        else this.#close(CloseCode.TooManyInitialisationRequests, 'Too many initialisation requests')
        return false
      case MessageType.Subscribe:
        this.#subscribe(message)
        return false
      case MessageType.Complete:
        this.#active.complete(message.id)
        return false
      default:
        this.#close(CloseCode.BadRequest, 'Unexpected message received')
        return false
    }
  }

  end(): Promise<void> {
    this.#state = 'ended'
    return this.#active.end()
  }

  #subscribe({ id, payload }: SubscribeMessage): void {
    if (this.#state !== 'acknowledged') this.#close(CloseCode.Unauthorized, 'Unauthorized')
    else if (this.#active.has(id)) this.#close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`)
    else this.#active.start(id, payload)
  }

  async #connect(params: Record<string, unknown> | undefined): Promise<void> {
    this.#state = 'connecting'
    const decision = await this.#operations.connect(params)
    if (this.#state !== 'connecting') return
    if (decision !== 'accepted') return this.#close(decision.code, decision.reason)
    this.#state = 'acknowledged'
    this.#post({ type: MessageType.ConnectionAck })
  }

  #close(code: number, reason: string): void {
    this.#state = 'ended'
    this.#peer.close(code, reason)
  }

  #post(message: object): void {
    this.#peer.outgoing.post(messageFrame(message))
  }
}

function parse(text: string): Message | undefined {
  try {
    return parseMessage(text)
  } catch {
    return undefined
  }
}
