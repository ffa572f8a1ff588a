import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { unavailable } from '../protocol/errors.ts'

/** What goes out over one socket. Frames are whole, so they may go past the library that reads the socket. */
export type Outgoing = {
  /** Together with whatever else there is to send in this turn: many answers to what came in one packet leave in one. */
  post(frame: Buffer): void
  /** Resolves when the frame is on its way; rejects when the socket is closed. */
  send(frame: Buffer): Promise<void>
  /** At once, if nothing waits to be sent before it. Returns whether it was. */
  sendNow(frame: Buffer): boolean
  /** Before the library closes the socket: after its close frame nothing may come. */
  flush(): void
}

export function createOutgoing(socket: WebSocket, tcp: Socket, grown: () => void): Outgoing {
  let posted: Buffer[] | undefined

  function flush(): void {
    const frames = posted
    posted = undefined
    if (!frames || socket.readyState !== socket.OPEN) return
    tcp.write(frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames))
    if (tcp.writableLength > 0) grown()
  }

  return {
    post(frame) {
      if (posted) return void posted.push(frame)
      posted = [frame]
      process.nextTick(flush)
    },
    send: (frame) =>
      new Promise((resolve, reject) => {
        if (socket.readyState !== socket.OPEN) return reject(unavailable(new Error('The socket is closed.')))
        flush()
        tcp.write(frame, (error) => (error ? reject(unavailable(error)) : resolve()))
        if (tcp.writableLength > 0) grown()
      }),
    sendNow(frame) {
      if (posted || tcp.writableLength > 0 || socket.readyState !== socket.OPEN) return false
      tcp.write(frame)
      return true
    },
    flush,
  }
}
