import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'

/** It is called when something was written and some of it still waits in the buffer of the TCP connection. */
export type WriteObserver = { noteBuffered(): void }

/**
 * Sends the frames of one socket. Frames are whole, so they are written to the TCP connection directly, past the library that reads it.
 * Frames that are posted in one turn are written at its end, for all sockets: many answers to what came in one packet leave in one packet,
 * and a message to a thousand clients is first computed for all of them and then written to all of them, which suits the caches of the
 * processor.
 */
export class Outgoing {
  readonly #socket: WebSocket
  readonly #tcp: Socket
  readonly #observer: WriteObserver
  readonly #toError: (cause: Error) => Error
  /** The first frame of this turn, and those that came after it. */
  #posted: Buffer | undefined
  #more: Buffer[] | undefined

  /** `toError` makes the error that `send` rejects with. */
  constructor(socket: WebSocket, tcp: Socket, observer: WriteObserver, toError: (cause: Error) => Error) {
    this.#socket = socket
    this.#tcp = tcp
    this.#observer = observer
    this.#toError = toError
  }

  /** Sends the frame together with all others of this turn. */
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

  /** Resolves when the frame is on its way. Rejects when the socket is closed. */
  send(frame: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== this.#socket.OPEN)
        return reject(this.#toError(new Error('The socket is closed.')))
      this.flush()
      this.#tcp.write(frame, (error) => (error ? reject(this.#toError(error)) : resolve()))
      if (this.#tcp.writableLength > 0) this.#observer.noteBuffered()
    })
  }

  /** Posts the frames if the socket has room. Returns whether it has. */
  postIfRoom(...frames: Buffer[]): boolean {
    const isFull = this.#tcp.writableLength > 0 || (this.#more?.length ?? 0) >= moreMax
    if (isFull || this.#socket.readyState !== this.#socket.OPEN) return false
    for (const frame of frames) this.post(frame)
    return true
  }

  /** Writes what was posted. It has to be called before the library closes the socket: nothing may follow its close frame. */
  flush(): void {
    const first = this.#posted
    const more = this.#more
    this.#posted = undefined
    if (more) this.#more = undefined
    if (!first || this.#socket.readyState !== this.#socket.OPEN) return
    this.#tcp.write(more ? Buffer.concat([first, ...more]) : first)
    if (this.#tcp.writableLength > 0) this.#observer.noteBuffered()
  }
}

/** `postIfRoom` takes no more frames than this beside the first in one turn. */
const moreMax = 63

/** These have something posted in this turn. */
let waiting: Outgoing[] = []

function flushAll(): void {
  const all = waiting
  waiting = []
  for (const outgoing of all) outgoing.flush()
}
