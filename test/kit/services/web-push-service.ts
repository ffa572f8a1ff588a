import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type JWTPayload, jwtVerify } from 'jose'
import type { PushPayload } from '../../../src/push/payload.ts'
import { listen } from './listen.ts'

export type WebPushService = Awaited<ReturnType<typeof startWebPushService>>
export type Browser = ReturnType<WebPushService['subscribe']>
type Reply = { status: number; headers?: Record<string, string> }
type Received = { payload: PushPayload; headers: IncomingMessage['headers']; claims: JWTPayload; serverKey: string }

/**
 * Plays a push service and the browsers behind it, by RFC 8030, 8188, 8291 and 8292. It insists on a valid VAPID signature for its own
 * origin. Each browser decrypts what it gets and shows one banner per tag, as the service worker does.
 */
export async function startWebPushService() {
  const browsers = new Map<string, (message: Omit<Received, 'payload'>, body: Buffer) => void>()
  const held: (() => void)[] = []
  let reply: Reply = { status: 201 }
  let holding = false
  let arrived = 0
  let problem: unknown

  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      problem = error
      response.writeHead(400).end()
    })
  })
  const { origin, stop } = await listen(server)

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    arrived += 1
    if (holding) await new Promise<void>((resolve) => held.push(resolve))
    if (reply.status >= 300) return void response.writeHead(reply.status, reply.headers).end()
    const deliver = browsers.get(request.url ?? '')
    if (!deliver) return void response.writeHead(410).end()
    const { headers } = request
    if (headers['content-encoding'] !== 'aes128gcm') throw new Error('not encrypted')
    deliver({ headers, ...(await verifyVapid(headers.authorization ?? '', origin)) }, Buffer.concat(chunks))
    response.writeHead(reply.status, reply.headers).end()
  }

  return {
    origin,
    /** Adds a browser that has given its permission. */
    subscribe() {
      const keys = createECDH('prime256v1')
      const publicKey = keys.generateKeys()
      const auth = randomBytes(16)
      const path = `/push/${randomBytes(8).toString('hex')}`
      const received: Received[] = []
      const banners = new Map<string, PushPayload>()
      browsers.set(path, (message, body) => {
        const payload = JSON.parse(decrypt(body, keys, publicKey, auth).toString()) as PushPayload
        received.push({ payload, ...message })
        if ('withdraw' in payload) banners.delete(payload.tag)
        else banners.set(payload.tag, payload)
      })
      const subscription = {
        endpoint: `${origin}${path}`,
        keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
      }
      return {
        token: JSON.stringify(subscription),
        subscription,
        received,
        /** Returns `title: body`, which is what can be seen. */
        banners: (): string[] =>
          [...banners.values()].flatMap((each) => ('title' in each ? [`${each.title}: ${each.body}`] : [])),
        /** Takes the permission back. */
        unsubscribe: () => void browsers.delete(path),
      }
    },
    answer(next: Reply): void {
      reply = next
    },
    /** Accepts requests and answers none, until `release`. */
    hold(): void {
      holding = true
    },
    release(): void {
      holding = false
      for (const go of held.splice(0)) go()
    },
    arrived: () => arrived,
    problem: () => problem,
    async stop(): Promise<void> {
      for (const go of held.splice(0)) go()
      await stop()
    },
  }
}

async function verifyVapid(
  authorization: string,
  audience: string,
): Promise<{ claims: JWTPayload; serverKey: string }> {
  const [, token = '', serverKey = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? []
  const point = Buffer.from(serverKey, 'base64url')
  const [x = '', y = ''] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const { payload } = await jwtVerify(token, key, { audience, algorithms: ['ES256'] })
  if (!payload.exp || payload.exp > Date.now() / 1000 + 86_400) throw new Error('exp is more than a day away')
  return { claims: payload, serverKey }
}

/** Decrypts one record, as browsers do. */
function decrypt(body: Buffer, keys: ReturnType<typeof createECDH>, publicKey: Buffer, auth: Buffer): Buffer {
  const salt = body.subarray(0, 16)
  const keyLength = body[20] ?? 0
  const senderKey = body.subarray(21, 21 + keyLength)
  const sealed = body.subarray(21 + keyLength)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, senderKey])
  const ikm = Buffer.from(hkdfSync('sha256', keys.computeSecret(senderKey), auth, info, 32))
  const derive = (name: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', ikm, salt, `Content-Encoding: ${name}\0`, bytes))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  if (end < 0) throw new Error('no delimiter')
  return padded.subarray(0, end)
}
