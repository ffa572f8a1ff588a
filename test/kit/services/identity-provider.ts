import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { listen } from './listen.ts'

type Answer = (response: ServerResponse) => void
type Claims = { sub?: string; exp?: number | string }

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>

/** Plays an identity provider: signs tokens, and publishes its keys at `url`, unless it is told to do something else. */
export async function startIdentityProvider(...kids: string[]) {
  const published = new Map<string, JWK>()
  const own = new Map<string, CryptoKey>()
  const publish: Answer = (response) => void response.end(JSON.stringify({ keys: [...published.values()] }))
  let answer = publish
  let requests = 0
  const server: Server = createServer((_request, response) => {
    requests += 1
    answer(response)
  })
  let { origin, stop } = await listen(server)
  const port = Number(new URL(origin).port)

  async function addKey(kid: string): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    own.set(kid, privateKey)
    published.set(kid, { ...(await exportJWK(publicKey)), kid, alg: 'ES256' })
  }
  for (const kid of kids) await addKey(kid)

  return {
    url: `${origin}/keys`,
    requests: () => requests,
    addKey,
    withdraw: (kid: string) => void published.delete(kid),
    /** The answers from now on; without one it answers as it should. */
    answers(other: Answer = publish): void {
      answer = other
    },
    /** No connection is accepted any more. */
    async goAway(): Promise<void> {
      await stop()
      stop = async () => undefined
    },
    async comeBack(): Promise<void> {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      stop = async () => {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
    },
    /** Also signs with a key that was withdrawn. A key that never was is a new one. */
    async sign(kid: string, { sub = 'alice', exp = '1h' }: Claims = {}): Promise<string> {
      const key = own.get(kid) ?? (await generateKeyPair('ES256')).privateKey
      return new SignJWT({ sub }).setProtectedHeader({ alg: 'ES256', kid }).setExpirationTime(exp).sign(key)
    },
    stop: () => stop(),
  }
}
