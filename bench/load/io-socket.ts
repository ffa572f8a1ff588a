import { frameOf, type LoadSocket, openSocket } from './web-socket.ts'

/** A socket that speaks engine.io and socket.io, past both handshakes. */
export async function openIo(port: number, user: string, room: string): Promise<LoadSocket> {
  const socket = await openSocket({ port, path: `/socket.io/?EIO=4&transport=websocket&user=${user}&room=${room}` })
  const inner: LoadSocket = { send: socket.send, close: socket.close, onText: () => undefined, onLost: socket.onLost }
  await new Promise<void>((resolve) => {
    socket.onText = (payload) => {
      const kind = payload.toString('latin1', 0, 2)
      if (kind[0] === '0') socket.send(connect)
      else if (kind === '40') resolve()
      else if (kind === '2') socket.send(pong)
      else inner.onText(payload)
    }
  })
  return inner
}

const connect = frameOf('40')
const pong = frameOf('3')
