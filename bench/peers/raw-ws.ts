// The limit: ws alone, nothing stored, nothing looked at but where a frame goes. What comes in goes out as the same buffer.
//   /echo          back to its sender
//   /room/<name>   to all others in the room: a relay for two, a fan-out for a thousand

import { WebSocket, WebSocketServer } from 'ws'

const rooms = new Map<string, Set<WebSocket>>()

function join(name: string, socket: WebSocket): Set<WebSocket> {
  const room = rooms.get(name) ?? new Set()
  rooms.set(name, room.add(socket))
  socket.on('close', () => room.delete(socket))
  return room
}

const server = new WebSocketServer({ port: Number(process.env.PORT), host: '127.0.0.1' })

server.on('connection', (socket, { url = '' }) => {
  if (url === '/echo') return socket.on('message', (data) => socket.send(data, { binary: false }))
  const room = join(url, socket)
  socket.on('message', (data) => {
    for (const other of room) {
      if (other !== socket && other.readyState === WebSocket.OPEN) other.send(data, { binary: false })
    }
  })
})
