// The backlog of a socket is what its client has not read yet. Results wait for their turn: an operation sends its next event only when the
// last one is on its way. Pongs and errors are sent as they come, so a client that asks for them without reading them is not read from either.

import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { WriteObserver } from '../../engine/websocket/outgoing.ts'
import type { Refusals } from '../limits/refusals.ts'

const backlogMaxBytes = 1024 * 1024
const stuckChecksMax = 6
const pingsPerCheckMax = 1000

export class Backlog implements WriteObserver {
  readonly #socket: WebSocket
  readonly #tcp: Socket
  readonly #refusals: Refusals
  #isFull = false
  #pings = 0
  #passedBytes = 0
  #stuckChecks = 0

  constructor(socket: WebSocket, tcp: Socket, refusals: Refusals) {
    this.#socket = socket
    this.#tcp = tcp
    this.#refusals = refusals
  }

  /** Pauses reading from the client while too much waits in the buffer. */
  noteBuffered(): void {
    if (this.#isFull || this.#socket.bufferedAmount <= backlogMaxBytes) return
    this.#isFull = true
    this.#pauseOrResume()
    this.#tcp.once('drain', () => {
      this.#isFull = false
      this.#pauseOrResume()
    })
  }

  /** Counts a ping or a pong of the client, and pauses reading from it if there are too many. */
  notePing(): void {
    this.#pings += 1
    if (this.#pings !== pingsPerCheckMax + 1) return
    this.#refusals('ping_flood')
    this.#pauseOrResume()
  }

  /** It is called at each liveness check of the socket. Returns `stuck` if the client has taken nothing for too long. */
  checkProgress(): 'idle' | 'moving' | 'stuck' {
    this.#pings = 0
    this.#pauseOrResume()
    const passedBefore = this.#passedBytes
    this.#passedBytes = this.#tcp.bytesWritten - this.#tcp.writableLength
    if (this.#tcp.writableLength === 0) {
      this.#stuckChecks = 0
      return 'idle'
    }
    this.#stuckChecks = this.#passedBytes > passedBefore ? 0 : this.#stuckChecks + 1
    if (this.#stuckChecks >= (this.#isFull ? 1 : stuckChecksMax)) return 'stuck'
    return this.#stuckChecks === 0 ? 'moving' : 'idle'
  }

  #pauseOrResume(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    const shouldPause = this.#isFull || this.#pings > pingsPerCheckMax
    if (shouldPause === this.#socket.isPaused) return
    if (shouldPause) this.#socket.pause()
    else this.#socket.resume()
  }
}
