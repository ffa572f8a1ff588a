import type { IncomingMessage, ServerResponse } from 'node:http'
import { httpBodyMaxBytes } from '../protocol/limits.ts'
import { HttpRefusal, type Problem, restBody } from './errors.ts'

/** `requestId`: also in the answer's headers. */
export type Exchange = { request: IncomingMessage; response: ServerResponse; requestId: string }
export type Handler = (exchange: Exchange) => void | Promise<void>

/** How long a refused body is read on: a client that is still sending would not see the answer otherwise. */
const readOnMs = 1000

/** The body as text; 413 as soon as it is too large, whether its size was announced or not. */
export async function readText(request: IncomingMessage): Promise<string> {
  const bytes = await readBytes(request)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new HttpRefusal(400, 'Expected a body in UTF-8.')
  }
}

export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const value = parseJson(await readText(request))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HttpRefusal(400, 'Expected a JSON object.')
  }
  return value as Record<string, unknown>
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, 'application/json; charset=utf-8', JSON.stringify(body))
}

export function sendProblem(response: ServerResponse, problem: Problem): void {
  const { retryAfterMs } = problem.details
  if (retryAfterMs !== undefined) response.setHeader('retry-after', Math.ceil(retryAfterMs / 1000))
  if (problem.status === 401) response.setHeader('www-authenticate', 'Bearer')
  sendJson(response, problem.status, restBody(problem))
}

export function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { 'content-type': contentType }).end(body)
}

/** Reads on for a moment, then hangs up. */
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
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
    if (Number(request.headers['content-length'] ?? 0) > httpBodyMaxBytes) refuse()
    else request.on('data', take)
  })
}
