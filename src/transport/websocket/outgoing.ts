import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { unavailable } from '../../protocol/errors.ts'
import type { Backlog } from './backlog.ts'

/**
 * What goes out over one socket. Frames are whole, so they may go past the library that reads the socket. What is posted in one turn is
 * written at its end, for all sockets: many answers to what came in one packet leave in one, and a message to a thousand is first worked
 * out for all of them and then written to all of them, which the processor's caches thank for.
 */
export class Outgoing {
  readonly #socket: WebSocket
  readonly #tcp: Socket
  readonly #backlog: Backlog
  /** The first, and those that came after it. */
  #posted: Buffer | undefined
  #more: Buffer[] | undefined

  constructor(socket: WebSocket, tcp: Socket, backlog: Backlog) {
    this.#socket = socket
    this.#tcp = tcp
    this.#backlog = backlog
  }

  /** Together with whatever else there is to send in this turn. */
  post(frame: Buffer): void {
    if (this.#posted) {
      this.#more ??= []
      this.#more.push(frame)
      return
    }
    this.#posted = frame
    if (waiting.length === 0) process.nextTick(flushAll)
    waiting.push(this)
  }

  /** Resolves when the frame is on its way; rejects when the socket is closed. */
  send(frame: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== this.#socket.OPEN) return reject(unavailable(new Error('The socket is closed.')))
      this.flush()
      this.#tcp.write(frame, (error) => (error ? reject(unavailable(error)) : resolve()))
      if (this.#tcp.writableLength > 0) this.#backlog.grown()
    })
  }

  /** Posts it if the socket has room. Returns whether it has. */
  postIfRoom(frame: Buffer): boolean {
    const isFull = this.#tcp.writableLength > 0 || (this.#more?.length ?? 0) >= moreMax
    if (isFull || this.#socket.readyState !== this.#socket.OPEN) return false
    this.post(frame)
    return true
  }

  /** Also before the library closes the socket: after its close frame nothing may come. */
  flush(): void {
    const first = this.#posted
    const more = this.#more
    this.#posted = undefined
    if (more) this.#more = undefined
    if (!first || this.#socket.readyState !== this.#socket.OPEN) return
    this.#tcp.write(more ? Buffer.concat([first, ...more]) : first)
    if (this.#tcp.writableLength > 0) this.#backlog.grown()
  }
}

/** Of those who need not wait for each other to be on their way. */
const moreMax = 63

/** With something posted in this turn. */
let waiting: Outgoing[] = []

function flushAll(): void {
  const all = waiting
  waiting = []
  for (const outgoing of all) outgoing.flush()
}
