import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { unavailable } from '../protocol/errors.ts'
import type { Backlog } from './backlog.ts'

/** What goes out over one socket. Frames are whole, so they may go past the library that reads the socket. */
export class Outgoing {
  readonly #socket: WebSocket
  readonly #tcp: Socket
  readonly #backlog: Backlog
  #posted: Buffer[] | undefined

  constructor(socket: WebSocket, tcp: Socket, backlog: Backlog) {
    this.#socket = socket
    this.#tcp = tcp
    this.#backlog = backlog
  }

  /** Together with whatever else there is to send in this turn: many answers to what came in one packet leave in one. */
  post(frame: Buffer): void {
    if (this.#posted) this.#posted.push(frame)
    else {
      this.#posted = [frame]
      process.nextTick(flushOf, this)
    }
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

  /** At once, if nothing waits to be sent before it. Returns whether it was. */
  sendNow(frame: Buffer): boolean {
    if (this.#posted || this.#tcp.writableLength > 0 || this.#socket.readyState !== this.#socket.OPEN) return false
    this.#tcp.write(frame)
    return true
  }

  /** Also before the library closes the socket: after its close frame nothing may come. */
  flush(): void {
    const frames = this.#posted
    this.#posted = undefined
    if (!frames || this.#socket.readyState !== this.#socket.OPEN) return
    this.#tcp.write(frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames))
    if (this.#tcp.writableLength > 0) this.#backlog.grown()
  }
}

const flushOf = (outgoing: Outgoing): void => outgoing.flush()
