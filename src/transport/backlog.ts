// What a client has not read yet. Results wait for their turn: an operation sends its next event only when the last one is on its
// way. Pongs and errors are sent as they come, so whoever asks for them without reading is not read from either.

import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Refusals } from './refusals.ts'

export type Backlog = {
  /** Something was written. */
  grown(): void
  /** The client asked for nothing but a sign of life. */
  pinged(): void
  /** Called at each beat. `stuck`: the client takes nothing, and has not for too long. */
  beat(): 'idle' | 'moving' | 'stuck'
}

const backlogMaxBytes = 1024 * 1024
const stuckBeatsMax = 6
const pingsPerBeatMax = 1000

export function createBacklog(socket: WebSocket, tcp: Socket, refusals: Refusals): Backlog {
  let isFull = false
  let pings = 0
  let passedBytes = 0
  let stuckBeats = 0

  function listen(): void {
    if (socket.readyState !== socket.OPEN) return
    if (isFull || pings > pingsPerBeatMax) socket.pause()
    else socket.resume()
  }

  return {
    grown() {
      if (isFull || socket.bufferedAmount <= backlogMaxBytes) return
      isFull = true
      listen()
      tcp.once('drain', () => {
        isFull = false
        listen()
      })
    },
    pinged() {
      pings += 1
      if (pings !== pingsPerBeatMax + 1) return
      refusals('ping_flood')
      listen()
    },
    beat() {
      pings = 0
      listen()
      const passedBefore = passedBytes
      passedBytes = tcp.bytesWritten - tcp.writableLength
      if (tcp.writableLength === 0) {
        stuckBeats = 0
        return 'idle'
      }
      stuckBeats = passedBytes > passedBefore ? 0 : stuckBeats + 1
      if (stuckBeats >= (isFull ? 1 : stuckBeatsMax)) return 'stuck'
      return stuckBeats === 0 ? 'moving' : 'idle'
    },
  }
}
