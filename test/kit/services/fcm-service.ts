import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { jwtVerify } from 'jose'
import type { ServiceAccount } from '../../../src/push/google-token.ts'
import { listen } from './listen.ts'

type Reply = { status: number; headers?: Record<string, string>; body?: object }

type FcmMessage = {
  token: string
  data: Record<string, string>
  notification?: { title: string; body: string }
  android: Record<string, unknown>
}

/** The key pair is made once, as that takes a while. */
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Plays Google's token endpoint and FCM's HTTP v1 API. It verifies the assertion, and accepts only tokens that it gave out. */
export async function startFcmService(now: () => number) {
  const received: FcmMessage[] = []
  const replies: Reply[] = []
  const given = new Set<string>()
  let assertions = 0
  let problem: unknown

  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      problem = error
      response.writeHead(400).end()
    })
  })
  const { origin: endpoint, stop } = await listen(server)
  const account: ServiceAccount = {
    projectId: 'parley-test',
    clientEmail: 'push@parley-test.iam.gserviceaccount.com',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    tokenUri: `${endpoint}/token`,
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { status = 200, headers = {}, body } = request.url === '/token' ? await grant(text) : take(request, text)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body ?? {}))
  }

  async function grant(text: string): Promise<Reply> {
    const form = new URLSearchParams(text)
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') throw new Error('grant_type')
    const { payload } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
      algorithms: ['RS256'],
      issuer: account.clientEmail,
      audience: account.tokenUri,
      currentDate: new Date(now()),
    })
    if (payload.scope !== 'https://www.googleapis.com/auth/firebase.messaging') throw new Error('scope')
    if ((payload.exp ?? 0) - (payload.iat ?? 0) > 3600) throw new Error('more than an hour')
    assertions += 1
    const access_token = `access-${assertions}`
    given.add(access_token)
    return { status: 200, body: { access_token, expires_in: 3600, token_type: 'Bearer' } }
  }

  function take(request: IncomingMessage, text: string): Reply {
    if (request.url !== `/v1/projects/${account.projectId}/messages:send`) return { status: 404, body: {} }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (!given.has(token)) return failure(401, 'UNAUTHENTICATED')
    const reply = replies.shift()
    if (reply) return reply
    const { message } = JSON.parse(text) as { message: FcmMessage }
    received.push(message)
    return { status: 200, body: { name: `projects/${account.projectId}/messages/${received.length}` } }
  }

  return {
    endpoint,
    account,
    received,
    /** Sets the answer to the next send. */
    next: (...some: Reply[]) => void replies.push(...some),
    /** Makes all tokens invalid. */
    revoke: () => given.clear(),
    assertions: () => assertions,
    problem: () => problem,
    stop,
  }
}

/** Returns an error as the API words it. `field` is the field of the request. */
export const failure = (status: number, code: string, field?: string): Reply => ({
  status,
  body: {
    error: {
      code: status,
      status: code === 'UNREGISTERED' ? 'NOT_FOUND' : code,
      details: [
        { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: code },
        ...(field ? [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field }] }] : []),
      ],
    },
  },
})
