import type { IncomingMessage, ServerResponse } from 'node:http'
import { httpBodyMaxBytes } from '../../protocol/limits.ts'
import { HttpRefusal, type Problem, restBody } from '../execution/errors.ts'

export type Exchange = {
  request: IncomingMessage
  response: ServerResponse
  /** The answer's headers show it too. */
  requestId: string
  /** The headers that every answer has and that are not set yet: names and values in turn. The list is empty, except for routes with `writesHead`. */
  head: string[]
}
export type Handler = (exchange: Exchange) => void | Promise<void>

/** How long a refused body is read on: a client that is still sending would not see the answer otherwise. */
const readOnMs = 1000

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads the body as text. Throws 413 as soon as it is too large, whether its size was announced or not. */
export async function readText(request: IncomingMessage): Promise<string> {
  const { 'content-encoding': encoding = 'identity' } = request.headers
  if (encoding.toLowerCase() !== 'identity') {
    throw new HttpRefusal(415, 'Expected a body as it is, without a content-encoding.')
  }
  const bytes = await readBytes(request)
  try {
    return utf8.decode(bytes)
  } catch {
    throw new HttpRefusal(400, 'Expected a body in UTF-8.')
  }
}

/** Any page can make a browser send a form or plain text without asking, so only JSON is accepted. */
export function assertJson({ headers }: IncomingMessage): void {
  const { 'content-type': type = '' } = headers
  if (type === 'application/json' || /^application\/json *(;|$)/i.test(type)) return
  throw new HttpRefusal(415, 'Expected content-type: application/json.')
}

export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  assertJson(request)
  const value = parseJson(await readText(request))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HttpRefusal(400, 'Expected a JSON object.')
  }
  return value as Record<string, unknown>
}

/** Writes head and body together: to set a dozen headers one by one would take longer than most operations. */
export function answer({ response, head }: Exchange, status: number, headers: readonly string[], body: string): void {
  if (response.headersSent || response.destroyed) return
  for (const each of headers) head.push(each)
  const length = Buffer.byteLength(body)
  head.push('content-length', `${length}`)
  // A text with as many bytes as characters is ASCII, which Node writes faster as latin1.
  response.writeHead(status, head).end(body, length === body.length ? 'latin1' : 'utf8')
}

/** Sets the headers for handlers that add others to the response itself. */
export function setHead({ response, head }: Exchange): void {
  if (response.headersSent) return
  for (let at = 0; at < head.length; at += 2) response.setHeader(head[at] ?? '', head[at + 1] ?? '')
  head.length = 0
}

export const jsonType = 'application/json; charset=utf-8'

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, jsonType, JSON.stringify(body))
}

export function sendProblem(exchange: Exchange, problem: Problem): void {
  const { response } = exchange
  setHead(exchange)
  const { retryAfterMs } = problem.details
  if (retryAfterMs !== undefined) response.setHeader('retry-after', Math.ceil(retryAfterMs / 1000))
  if (problem.status === 401) response.setHeader('www-authenticate', 'Bearer')
  sendJson(response, problem.status, restBody(problem))
}

export function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { 'content-type': contentType }).end(body)
}

/** Reads on for a moment, then closes the connection. */
export function discardBody(request: IncomingMessage): void {
  request.resume()
  const cutOff = setTimeout(() => request.destroy(), readOnMs)
  request.once('close', () => clearTimeout(cutOff))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new HttpRefusal(400, 'Expected well-formed JSON.')
  }
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    function refuse(): void {
      reject(new HttpRefusal(413, `A body has at most ${httpBodyMaxBytes} bytes.`))
      discardBody(request.off('data', take))
    }
    function take(chunk: Buffer): void {
      size += chunk.length
      if (size > httpBodyMaxBytes) refuse()
      else chunks.push(chunk)
    }
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', reject)
    if (Number(request.headers['content-length'] ?? 0) > httpBodyMaxBytes) refuse()
    else request.on('data', take)
  })
}
