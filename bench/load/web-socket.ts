import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

// A WebSocket client that does as little as it can: the load must not be what is measured. Frames are prepared once where they can
// be, what comes in is handed on as bytes, and pings are answered.

export type LoadSocket = {
  send(frame: Buffer): void
  onText: (payload: Buffer) => void
  /** The server has closed it. */
  onLost: () => void
  close(): void
}

type ConnectOptions = { port: number; path: string; protocol?: string; host?: string }

// The mask is not zero: servers skip the unmasking of that, and real clients never send it.
const mask = Buffer.from([0x5a, 0xc3, 0x17, 0x8e])
const text = 0x81
const ping = 0x9
const pong = 0x8a

export async function openSocket({ port, path, protocol, host = '127.0.0.1' }: ConnectOptions): Promise<LoadSocket> {
  const socket = connect(port, host)
  socket.setNoDelay(true)
  await once(socket, 'connect')
  const offered = protocol === undefined ? '' : `Sec-WebSocket-Protocol: ${protocol}\r\n`
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${offered}` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  const rest = await upgraded(socket)
  let closed = false
  const opened: LoadSocket = {
    send: (frame) => void socket.write(frame),
    onText: () => undefined,
    // The caller must not wait for an answer that cannot come.
    onLost() {
      throw new Error(`The server closed a socket to ${path}.`)
    },
    close() {
      closed = true
      socket.destroy()
    },
  }
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    if (!closed) opened.onLost()
  })
  const read = createReader({
    onText: (payload) => opened.onText(payload),
    onPing: (payload) => socket.write(frameOf(payload, pong)),
  })
  // What came with the answer is read when the caller has had the time to listen.
  if (rest.length > 0) setImmediate(read, rest)
  socket.on('data', read)
  return opened
}

/** Makes a frame that is masked, as a client's frames must be. */
export function frameOf(payload: string | Buffer, opcode = text): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  const long = bytes.length > 125
  const head = long ? 8 : 6
  const frame = Buffer.allocUnsafe(head + bytes.length)
  frame[0] = opcode
  if (long) {
    frame[1] = 0x80 | 126
    frame.writeUInt16BE(bytes.length, 2)
  } else {
    frame[1] = 0x80 | bytes.length
  }
  mask.copy(frame, head - 4)
  for (let i = 0; i < bytes.length; i += 1) frame[head + i] = (bytes[i] ?? 0) ^ (mask[i & 3] ?? 0)
  return frame
}

async function upgraded(socket: Socket): Promise<Buffer> {
  let answer = Buffer.alloc(0)
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    answer = Buffer.concat([answer, chunk])
    const end = answer.indexOf('\r\n\r\n')
    if (end < 0) continue
    const head = answer.toString('latin1', 0, end)
    if (!head.startsWith('HTTP/1.1 101')) throw new Error(`No WebSocket was opened: ${head.split('\r\n', 1)[0]}`)
    return answer.subarray(end + 4)
  }
}

function createReader(on: { onText(payload: Buffer): void; onPing(payload: Buffer): void }) {
  let kept: Buffer | undefined
  return (chunk: Buffer): void => {
    const bytes = kept ? Buffer.concat([kept, chunk]) : chunk
    let at = 0
    for (;;) {
      const head = headOf(bytes, at)
      if (!head || head.end > bytes.length) break
      const payload = bytes.subarray(head.start, head.end)
      if (head.opcode === 1) on.onText(payload)
      else if (head.opcode === ping) on.onPing(payload)
      at = head.end
    }
    kept = at < bytes.length ? bytes.subarray(at) : undefined
  }
}

/** Returns undefined while not all of the frame is there. */
function headOf(bytes: Buffer, at: number): { opcode: number; start: number; end: number } | undefined {
  if (bytes.length < at + 2) return undefined
  const opcode = (bytes[at] ?? 0) & 0xf
  const short = (bytes[at + 1] ?? 0) & 0x7f
  if (short < 126) return { opcode, start: at + 2, end: at + 2 + short }
  if (short === 126) {
    if (bytes.length < at + 4) return undefined
    return { opcode, start: at + 4, end: at + 4 + bytes.readUInt16BE(at + 2) }
  }
  if (bytes.length < at + 10) return undefined
  return { opcode, start: at + 10, end: at + 10 + Number(bytes.readBigUInt64BE(at + 2)) }
}
