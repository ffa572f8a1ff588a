import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A kept-alive connection that sends the same bytes again and again. */
export type LoadConnection = {
  /** Resolves with the whole answer. */
  ask(request: Buffer): Promise<Buffer>
  close(): void
}

export function postOf(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Buffer {
  const json = JSON.stringify(body)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(json)}\r\n${lines.join('')}\r\n${json}`,
  )
}

export async function openConnection(port: number): Promise<LoadConnection> {
  const socket: Socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await once(socket, 'connect')
  let received: Buffer | undefined
  let waiting: ((answer: Buffer) => void) | undefined
  let failed: ((error: Error) => void) | undefined
  socket.on('data', (chunk: Buffer) => {
    received = received ? Buffer.concat([received, chunk]) : chunk
    if (!isWhole(received)) return
    const answer = received
    received = undefined
    waiting?.(answer)
  })
  socket.on('error', (error) => failed?.(error))
  socket.on('close', () => failed?.(new Error('The server closed the connection.')))
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = resolve
        failed = reject
        socket.write(request)
      }),
    close() {
      failed = undefined
      socket.destroy()
    },
  }
}

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('\r\n0\r\n\r\n')

/** One request is under way at a time, so there is nothing after the end. */
function isWhole(answer: Buffer): boolean {
  const end = answer.indexOf(headEnd)
  if (end < 0) return false
  const head = answer.toString('latin1', 0, end)
  const [, length] = /content-length: (\d+)/i.exec(head) ?? []
  if (length !== undefined) return answer.length >= end + 4 + Number(length)
  return answer.subarray(answer.length - lastChunk.length).equals(lastChunk)
}
