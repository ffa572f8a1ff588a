// socket.io over WebSocket only, with its Redis Streams adapter; messages in Redis Streams. No dedupe, no rights, no history API.

import { createServer } from 'node:http'
import { createAdapter } from '@socket.io/redis-streams-adapter'
import { Server } from 'socket.io'
import { createRedisStreams } from './redis-streams.ts'

type Sent = { conversationId: string; body: string }
type Delivered = { conversationId: string; seq: number }

const streams = createRedisStreams('socketio')
const server = createServer()
const io = new Server(server, {
  adapter: createAdapter(streams.redis.duplicate(), { onlyPlaintext: true }),
  transports: ['websocket'],
  serveClient: false,
  // A machine that is busy with other things answers late; that is not what is measured.
  pingTimeout: 300_000,
})

io.on('connection', (socket) => {
  const { user: userId, room } = socket.handshake.query as { user: string; room: string }
  void socket.join(room)

  socket.on('send', async ({ conversationId, body }: Sent, done: (answer: object) => void) => {
    const message = await streams.append(conversationId, userId, body)
    io.to(conversationId).except(socket.id).emit('message', message)
    done({ id: message.id, seq: message.seq, sentAt: message.sentAt })
  })

  socket.on('delivered', async ({ conversationId, seq }: Delivered, done: (answer: object) => void) => {
    await streams.deliver(conversationId, userId, seq)
    io.to(conversationId).except(socket.id).emit('ticks', { conversationId, userId, lastDeliveredSeq: seq })
    done({ lastDeliveredSeq: seq })
  })
})
server.listen(Number(process.env.PORT), '127.0.0.1')
