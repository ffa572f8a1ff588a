import { once } from 'node:events'
import { connect } from 'node:net'

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

/** Servers close what is silent for five seconds, as it is while others have their turn: then it is opened again. */
export async function openConnection(port: number): Promise<LoadConnection> {
  let open = await openOnce(port)

  async function ask(request: Buffer): Promise<Buffer> {
    for (;;) {
      const answer = await open.ask(request)
      if (answer) return answer
      open = await openOnce(port)
    }
  }
  return { ask, close: () => open.close() }
}

async function openOnce(port: number) {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await once(socket, 'connect')
  let received: Buffer | undefined
  let closed = false
  let answered = (_answer: Buffer | undefined): void => undefined
  socket.on('data', (chunk: Buffer) => {
    received = received ? Buffer.concat([received, chunk]) : chunk
    if (!isWhole(received)) return
    const answer = received
    received = undefined
    answered(answer)
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    closed = true
    answered(undefined)
  })
  return {
    /** Resolves with undefined if the server has closed the connection. */
    ask: (request: Buffer) =>
      new Promise<Buffer | undefined>((resolve) => {
        answered = resolve
        if (closed) resolve(undefined)
        else socket.write(request)
      }),
    close: () => void socket.destroy(),
  }
}

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('\r\n0\r\n\r\n')

/** Returns whether the answer is there up to its end. One request is under way at a time, so nothing comes after that. */
function isWhole(answer: Buffer): boolean {
  const end = answer.indexOf(headEnd)
  if (end < 0) return false
  const head = answer.toString('latin1', 0, end)
  const [, length] = /content-length: (\d+)/i.exec(head) ?? []
  if (length !== undefined) return answer.length >= end + 4 + Number(length)
  return answer.subarray(answer.length - lastChunk.length).equals(lastChunk)
}
