import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { RedisOptions } from 'ioredis'
import type { Timer, Timers } from '../../shared/timers.ts'
import { createRespReader, Push, ReplyError, type RespValue, respCommand } from './resp.ts'

// ioredis takes an unasked `sunsubscribe` for the answer to a command, and all answers after it for those of other commands. Here a push is
// an answer only if the command that waits longest asked for it.

export type ListeningConnection = {
  /** Rejects if the server refuses the connection or the credentials. */
  opened: Promise<void>
  /** Resolves when the server has confirmed it. */
  subscribe(channel: string): Promise<void>
  unsubscribe(channel: string): void
  call(...args: readonly string[]): Promise<RespValue>
  destroy(error: Error): void
}

type Options = {
  /** Where the server is, and who asks. */
  server: RedisOptions
  /** The connection is given up when the server owes an answer for this long. */
  timeoutMs: number
  timers: Timers
  onMessage?: (channel: string, text: string) => void
  /** Is called when the server has ended a subscription unasked: it does not have that slot any more. */
  onDropped?: (channel: string) => void
  /** Is called once, in the end. */
  onClosed?: (error: Error) => void
}

type Pending = {
  kind: 'ssubscribe' | 'sunsubscribe' | 'call'
  channel: string
  sinceMs: number
  resolve: (answer: RespValue) => void
  reject: (error: Error) => void
}

/** Opens a connection that listens to sharded channels, by RESP3: it may send any other command meanwhile. */
export function openListeningConnection(options: Options): ListeningConnection {
  const { server, timeoutMs, timers, onMessage, onDropped, onClosed } = options
  const socket = connectTo(server)
  const pending: Pending[] = []
  let answered = 0
  let outgoing = ''
  let answeredAtMs = 0
  let timer: Timer | undefined
  let closedBy: Error | undefined

  const read = createRespReader((value) => (value instanceof Push ? hear(value) : answer(value)))
  socket.setNoDelay(true)
  socket.on('data', read)
  socket.on('error', destroy)
  socket.on('close', () => destroy(new Error('The connection was closed')))

  const { username = 'default', password } = server
  const opened = call('HELLO', '3', ...(password ? ['AUTH', username ?? 'default', password] : [])).then((greeting) => {
    if (greeting instanceof ReplyError) throw greeting
  })
  opened.catch(destroy)

  function send(kind: Pending['kind'], channel: string, args: readonly string[]): Promise<RespValue> {
    return new Promise((resolve, reject) => {
      if (closedBy) return reject(closedBy)
      pending.push({ kind, channel, sinceMs: timers.monotonic(), resolve, reject })
      if (outgoing === '') queueMicrotask(flush)
      outgoing += respCommand(args)
      timer ??= timers.start(timeoutMs, checkProgress)
    })
  }

  function call(...args: readonly string[]): Promise<RespValue> {
    return send('call', '', args)
  }

  function flush(): void {
    const text = outgoing
    outgoing = ''
    if (!closedBy) socket.write(text)
  }

  /** What was answered stays at the front for a while: to shift a long array for each answer would be slow. */
  function takeOldest(): Pending | undefined {
    const oldest = pending[answered]
    if (!oldest) return undefined
    answered += 1
    answeredAtMs = timers.monotonic()
    if (answered > 1000 || answered === pending.length) {
      pending.splice(0, answered)
      answered = 0
    }
    return oldest
  }

  function checkProgress(): void {
    timer = undefined
    const oldest = pending[answered]
    if (!oldest || closedBy) return
    const leftMs = Math.max(oldest.sinceMs, answeredAtMs) + timeoutMs - timers.monotonic()
    if (leftMs > 0) timer = timers.start(leftMs, checkProgress)
    else destroy(new Error(`No answer from Redis within ${timeoutMs} ms`))
  }

  function answer(value: RespValue): void {
    const oldest = takeOldest()
    if (!oldest) destroy(new Error('Redis answered what was not asked'))
    else if (value instanceof ReplyError && oldest.kind !== 'call') oldest.reject(value)
    else oldest.resolve(value)
  }

  function hear({ items: [kind, channel, text] }: Push): void {
    if (typeof kind !== 'string' || typeof channel !== 'string') return
    if (kind === 'smessage') {
      onMessage?.(channel, String(text))
      return
    }
    const oldest = pending[answered]
    const isAnswer = oldest?.kind === kind && oldest.channel === channel
    if (isAnswer) takeOldest()?.resolve(null)
    else if (kind === 'sunsubscribe') onDropped?.(channel)
  }

  function destroy(error: Error): void {
    if (closedBy) return
    closedBy = error
    timer?.cancel()
    socket.destroy()
    for (const each of pending.splice(0).slice(answered)) each.reject(error)
    onClosed?.(error)
  }

  return {
    opened,
    subscribe: async (channel) => void (await send('ssubscribe', channel, ['SSUBSCRIBE', channel])),
    unsubscribe: (channel) =>
      void send('sunsubscribe', channel, ['SUNSUBSCRIBE', channel]).catch(() => {
        // It is gone with the connection, too.
      }),
    call,
    destroy,
  }
}

function connectTo({ host = '127.0.0.1', port = 6379, path, tls }: RedisOptions): Socket {
  const place = path ? { path } : { host, port }
  return tls ? connectTls({ ...place, ...tls }) : connectTcp(place)
}
