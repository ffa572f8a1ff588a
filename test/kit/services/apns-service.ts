import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Http2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { jwtVerify } from 'jose'
import type { ApnsAccount } from '../../../src/push/apns.ts'
import { listen } from './listen.ts'

type Reply = { status: number; reason?: string; headers?: Record<string, string> } | 'nothing'
type Received = { token: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }

/** Plays APNs over HTTP/2, without TLS. It verifies the provider token and the headers, and answers in Apple's words. */
export async function startApnsService(now: () => number) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const account: ApnsAccount = {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    keyId: 'KEY0000001',
    teamId: 'TEAM000001',
    topic: 'app.parley',
    sandbox: false,
  }
  const received: Received[] = []
  const replies: Reply[] = []
  const providerTokens = new Set<string>()
  const sessions = new Set<Http2Session>()
  let connections = 0

  const server = createServer()
  server.on('session', (session) => {
    connections += 1
    sessions.add(session)
    session.on('error', () => undefined)
    session.on('close', () => sessions.delete(session))
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    handle(stream, headers).catch(() => respond(stream, { status: 403, reason: 'InvalidProviderToken' }))
  })
  const { origin, stop } = await listen(server)

  async function handle(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    const reply = replies.shift()
    if (reply === 'nothing') return
    const bearer = /^bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    const { payload, protectedHeader } = await jwtVerify(bearer, publicKey, {
      algorithms: ['ES256'],
      issuer: account.teamId,
      currentDate: new Date(now()),
    })
    if (protectedHeader.kid !== account.keyId) throw new Error('kid')
    providerTokens.add(bearer)
    if (now() / 1000 - (payload.iat ?? 0) > 3600)
      return respond(stream, { status: 403, reason: 'ExpiredProviderToken' })
    if (reply) return respond(stream, reply)
    const [, token] = /^\/3\/device\/([0-9a-f]+)$/.exec(headers[':path'] ?? '') ?? []
    if (!token) return respond(stream, { status: 400, reason: 'BadDeviceToken' })
    if (headers['apns-topic'] !== account.topic) return respond(stream, { status: 400, reason: 'BadTopic' })
    if (String(headers['apns-collapse-id']).length > 64)
      return respond(stream, { status: 400, reason: 'BadCollapseId' })
    received.push({ token, headers, body: JSON.parse(text) as Record<string, unknown> })
    respond(stream, { status: 200 })
  }

  function respond(stream: ServerHttp2Stream, reply: Reply): void {
    if (reply === 'nothing' || stream.destroyed) return
    stream.respond({ ':status': reply.status, ...reply.headers })
    stream.end(reply.reason ? JSON.stringify({ reason: reply.reason }) : undefined)
  }

  return {
    endpoint: origin,
    account,
    received,
    /** Sets the answer to the next requests. */
    next: (...some: Reply[]) => void replies.push(...some),
    providerTokens: () => providerTokens.size,
    connections: () => connections,
    /** Tells the clients to leave every connection. */
    goAway: () => {
      for (const session of sessions) session.goaway()
    },
    stop,
  }
}
