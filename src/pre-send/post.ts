import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { NoDecision } from './no-decision.ts'

/** A replaced body of 4,096 characters has no more than 48 KB as JSON, with every character escaped. */
const answerMaxBytes = 64 * 1024

type Post = { headers: Record<string, string>; body: string; signal: AbortSignal }

/**
 * Posts to one address, over connections that are kept, and follows no redirect. The agent has so many connections: what comes beyond them
 * waits there, within its own deadline.
 */
export function createPost(address: string, connectionsMax: number) {
  const url = new URL(address)
  const isTls = url.protocol === 'https:'
  const options = { keepAlive: true, maxSockets: connectionsMax }
  const agent = isTls ? new HttpsAgent(options) : new HttpAgent(options)
  const request = isTls ? httpsRequest : httpRequest

  /** Returns the text of an answer with status 200; anything else is a NoDecision. The caller's signal ends it. */
  async function post(given: Post): Promise<string> {
    for (;;) {
      const answer = await once(given)
      if (answer !== 'stale') return answer.text
    }
  }

  /**
   * A backend may close a kept connection at the moment it is used again; then nothing was read of the request, and another connection is
   * taken. Each that fails like this is gone, so this ends at the latest with a new one.
   */
  function once({ headers, body, signal }: Post): Promise<{ text: string } | 'stale'> {
    return new Promise((resolve, reject) => {
      let isAnswered = false
      const sent = request(url, { method: 'POST', headers, agent }, (response) => {
        isAnswered = true
        read(response).then((text) => resolve({ text }), fail)
      })
      function fail(error: unknown): void {
        signal.removeEventListener('abort', end)
        sent.destroy()
        reject(error instanceof NoDecision ? error : new NoDecision('connection', codeOf(error)))
      }
      const end = () => fail(new NoDecision('timeout', 'no answer in time'))
      sent.on('error', (error) => {
        const isStale = sent.reusedSocket && !isAnswered && ['ECONNRESET', 'EPIPE'].includes(codeOf(error))
        if (isStale && !signal.aborted) resolve('stale')
        else fail(error)
      })
      // After an answer like 101, which is neither a response nor an error to Node, only this event tells of it.
      sent.on('close', () => {
        signal.removeEventListener('abort', end)
        if (!isAnswered) fail(new NoDecision('connection', 'closed without an answer'))
      })
      if (signal.aborted) return end()
      signal.addEventListener('abort', end)
      sent.end(body)
    })
  }

  return { post, close: () => agent.destroy() }
}

async function read(response: IncomingMessage): Promise<string> {
  if (response.statusCode !== 200) throw new NoDecision('status', `status ${response.statusCode}`)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > answerMaxBytes) throw new NoDecision('too_long', `an answer of more than ${answerMaxBytes} bytes`)
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new NoDecision('invalid', 'not UTF-8')
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed'
