// Clients that take their time: with the headers, with the body, with reading the answer. Node has the clocks for it.

import type { Server, ServerOptions } from 'node:http'
import { type ErrorMapper, HttpRefusal } from '../execution/errors.ts'
import type { Refusals } from '../limits/refusals.ts'
import { type Exchange, sendProblem } from './exchange.ts'

export type HttpTimes = {
  /** From the first moment of a connection, or of a request, to the end of the headers. */
  headersMs: number
  /** From the first byte of a request to the last of its body. */
  bodyMs: number
  /** The same where files are sent. */
  longBodyMs: number
  /** While an exchange is under way, neither a byte has come nor one been taken. */
  stalledMs: number
  /** Between two requests; longer than load balancers wait, or they reuse what is just being closed. */
  keepAliveMs: number
  /** How often Node looks. */
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
 * Cuts off whoever neither sends nor takes anything. Streams are kept by the comments that are sent now and then. From request to
 * request, and not by `server.setTimeout`: that gives each connection a timer, which a WebSocket keeps though it is stopped.
 */
export function cutStalled(server: Server, { stalledMs }: HttpTimes, refusals: Refusals): void {
  server.prependListener('request', ({ socket }) => void socket.setTimeout(stalledMs))
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0) refusals('slow_reader')
    socket.destroy()
  })
}

/** A body must have come within this time: 408, and the connection is closed. */
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
