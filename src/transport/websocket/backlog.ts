// What a client has not read yet. Results wait for their turn: an operation sends its next event only when the last one is on its
// way. Pongs and errors are sent as they come, so whoever asks for them without reading is not read from either.

import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Refusals } from '../limits/refusals.ts'

const backlogMaxBytes = 1024 * 1024
const stuckBeatsMax = 6
const pingsPerBeatMax = 1000

export class Backlog {
  readonly #socket: WebSocket
  readonly #tcp: Socket
  readonly #refusals: Refusals
  #isFull = false
  #pings = 0
  #passedBytes = 0
  #stuckBeats = 0

  constructor(socket: WebSocket, tcp: Socket, refusals: Refusals) {
    this.#socket = socket
    this.#tcp = tcp
    this.#refusals = refusals
  }

  /** Something was written. */
  grown(): void {
    if (this.#isFull || this.#socket.bufferedAmount <= backlogMaxBytes) return
    this.#isFull = true
    this.#listen()
    this.#tcp.once('drain', () => {
      this.#isFull = false
      this.#listen()
    })
  }

  /** The client asked for nothing but a sign of life. */
  pinged(): void {
    this.#pings += 1
    if (this.#pings !== pingsPerBeatMax + 1) return
    this.#refusals('ping_flood')
    this.#listen()
  }

  /** Called at each beat. `stuck`: the client takes nothing, and has not for too long. */
  beat(): 'idle' | 'moving' | 'stuck' {
    this.#pings = 0
    this.#listen()
    const passedBefore = this.#passedBytes
    this.#passedBytes = this.#tcp.bytesWritten - this.#tcp.writableLength
    if (this.#tcp.writableLength === 0) {
      this.#stuckBeats = 0
      return 'idle'
    }
    this.#stuckBeats = this.#passedBytes > passedBefore ? 0 : this.#stuckBeats + 1
    if (this.#stuckBeats >= (this.#isFull ? 1 : stuckBeatsMax)) return 'stuck'
    return this.#stuckBeats === 0 ? 'moving' : 'idle'
  }

  #listen(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    const isOverdone = this.#isFull || this.#pings > pingsPerBeatMax
    if (isOverdone === this.#socket.isPaused) return
    if (isOverdone) this.#socket.pause()
    else this.#socket.resume()
  }
}
