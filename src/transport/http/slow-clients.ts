// Limits how long clients may take to send headers and bodies, and to read answers. Node has the timers for it.

import { type Server, type ServerOptions, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorMapper, HttpRefusal } from '../execution/errors.ts'
import type { Refusals } from '../limits/refusals.ts'
import { type Exchange, sendProblem } from './exchange.ts'

export type HttpTimes = {
  /** How long the headers may take, from the beginning of the connection or of the request. */
  headersMs: number
  /** How long a request may take, from its first byte to the last byte of its body. */
  bodyMs: number
  /** How long a request may take if files are sent. */
  longBodyMs: number
  /** How long an exchange may go without a byte in either direction. */
  stalledMs: number
  /** How long an idle connection is kept; longer than load balancers keep theirs, or they would reuse one that is just being closed. */
  keepAliveMs: number
  /** How often Node checks. */
  checkEveryMs: number
}

export const defaultHttpTimes: HttpTimes = {
  headersMs: 10_000,
  bodyMs: 30_000,
  longBodyMs: 15 * 60_000,
  stalledMs: 30_000,
  keepAliveMs: 65_000,
  checkEveryMs: 2000,
}

const headersMaxBytes = 16 * 1024

export const serverOptions = (times: HttpTimes): ServerOptions => ({
  headersTimeout: times.headersMs,
  requestTimeout: times.longBodyMs,
  keepAliveTimeout: times.keepAliveMs,
  connectionsCheckingInterval: times.checkEveryMs,
  maxHeaderSize: headersMaxBytes,
})

/**
 * Cuts off clients that neither send nor take anything. The comments that are sent now and then keep streams open. Each
 * request sets the timeout, and not `server.setTimeout`: that gives each connection a timer, which a WebSocket keeps though it is stopped.
 */
export function cutStalled(server: Server, { stalledMs }: HttpTimes, refusals: Refusals): void {
  server.prependListener('request', ({ socket }) => void socket.setTimeout(stalledMs))
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0) refusals('slow_reader')
    socket.destroy()
  })
}

/**
 * Closes connections that sent no request within the time for its headers, or none that can be read. Node would answer 408 also where
 * nothing was sent. A node that was stopped for a moment would then answer so to the first request of a connection: it looks at its timers
 * before it reads what has come meanwhile. Closed without an answer, the connection tells its client that the request was not handled.
 */
export function refuseUnreadable(server: Server): void {
  server.on(
    'clientError',
    (error: NodeJS.ErrnoException, socket: Socket & { _httpMessage?: { _headerSent: boolean } }) => {
      const status = statusOf(error, socket)
      if (status && socket.writable && !socket._httpMessage?._headerSent)
        socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`)
      socket.destroy(error)
    },
  )
}

/** Returns what Node answers to such a request. */
function statusOf({ code }: NodeJS.ErrnoException, { bytesRead }: Socket): number | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return bytesRead === 0 ? undefined : 408
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  return code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW' ? 413 : 400
}

/** Answers 408 and closes the connection if the body has not come within this time. */
export function limitBody(exchange: Exchange, withinMs: number, errors: ErrorMapper, refusals: Refusals): void {
  const { request, response } = exchange
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || length === '0')) return
  const timer = setTimeout(() => {
    if (request.complete) return
    refusals('slow_request')
    const refusal = new HttpRefusal(408, 'The body of the request took too long to come.')
    if (!response.headersSent) response.setHeader('connection', 'close')
    sendProblem(exchange, errors.toProblem(refusal))
    if (response.writableFinished) request.destroy(refusal)
    else response.once('finish', () => request.destroy(refusal))
  }, withinMs)
  const done = () => clearTimeout(timer)
  request.once('end', done).once('close', done)
}
