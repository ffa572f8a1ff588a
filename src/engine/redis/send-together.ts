import type { Writable } from 'node:stream'
import type { Redis } from 'ioredis'

/**
 * Makes a connection send all commands of one turn of the event loop in one write. The pipelines that ioredis makes for that cost more than
 * the commands in them, and hold back commands that come while one is under way. This can go when ioredis corks its socket, or does the like.
 */
export function sendTogether(connection: Redis): void {
  const send = connection.sendCommand.bind(connection)
  let batch: Batch | undefined
  // Until it is ready, ioredis decides what may be sent. A cluster sends commands again that were lost with a connection, even if
  // no caller waits for them any more.
  connection.sendCommand = (command, stream) => {
    if (command.isResolved) return command.promise
    const socket = connection.status === 'ready' ? (Reflect.get(connection, 'stream') as Writable) : undefined
    if (!socket || (stream && 'isPipeline' in stream)) return send(command, stream)
    if (batch?.socket !== socket) batch = createBatch(socket)
    return send(command, batch as unknown as typeof stream)
  }
}

type Batch = { socket: Writable; write(text: string | Buffer): void }

function createBatch(socket: Writable): Batch {
  let waiting = ''
  const flush = () => {
    const text = waiting
    waiting = ''
    // Nearly all text is ASCII, and Node writes it faster when it is told so.
    if (text !== '' && socket.writable) socket.write(text, Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8')
  }
  return {
    socket,
    write(text) {
      if (typeof text !== 'string') {
        flush()
        socket.write(text)
        return
      }
      if (waiting === '') setImmediate(flush)
      waiting += text
    },
  }
}
