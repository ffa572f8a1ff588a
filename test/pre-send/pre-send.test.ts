import type { Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, test } from 'vitest'
import type { PreSend, PreSendObserver } from '../../src/ports/pre-send.ts'
import { createPreSend, type PreSendOptions } from '../../src/pre-send/pre-send.ts'
import { secretText } from '../../src/shared/standard-webhooks.ts'
import { aClientMessageId, aConversation, aUser, upTo } from '../kit/ids.ts'
import { startPreSendBackend } from '../kit/services/pre-send-backend.ts'
import { startRawServer } from '../kit/services/raw-server.ts'
import { realClock } from '../transport/kit.ts'

const allowed = { decision: 'allow' }
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"decision":"allow"}'
const silent: PreSendObserver = { decided: () => undefined, failed: () => undefined }
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
})

function asking(url: string, options: Partial<PreSendOptions> = {}): PreSend {
  const secrets = [new Uint8Array(32)]
  const given = { url, failure: 'deny' as const, secrets, clock: realClock, observer: silent, timeoutMs: 20_000 }
  const preSend = createPreSend({ ...given, ...options })
  undo.push(preSend.close)
  return preSend
}

async function startBackend() {
  const backend = await startPreSendBackend()
  undo.push(backend.stop)
  return backend
}

const about = (body: string) => ({
  type: 'send' as const,
  senderId: aUser(),
  conversationId: aConversation(),
  kind: 'DIRECT' as const,
  clientMessageId: aClientMessageId(),
  body,
})

test('one connection serves one question after the other', async () => {
  const backend = await startBackend()
  const preSend = asking(backend.url)
  for (const n of upTo(3)) expect(await preSend.ask(about(`${n}`))).toEqual(allowed)
  expect(backend.connections()).toBe(1)
})

test('a kept connection that the backend closes when it is used again is replaced', async () => {
  const sockets: Socket[] = []
  const backend = await startRawServer((socket) => {
    if (sockets.includes(socket)) return socket.resetAndDestroy()
    sockets.push(socket)
    return socket.write(answer)
  })
  undo.push(backend.stop)
  const preSend = asking(backend.origin)
  expect(await preSend.ask(about('first'))).toEqual(allowed)
  expect(await preSend.ask(about('second'))).toEqual(allowed)
  expect(sockets).toHaveLength(2)
})

test('no more questions are under way than there are connections, and all are answered in the end', async () => {
  const backend = await startBackend()
  const waiting: (() => void)[] = []
  backend.says((response) => void waiting.push(() => response.end(JSON.stringify(allowed))))
  const preSend = asking(backend.url, { connections: 2 })
  const asked = Promise.all(upTo(6).map((n) => preSend.ask(about(`${n}`))))
  for (const round of upTo(3)) {
    await expect.poll(() => backend.asked.length).toBe(2 * round)
    expect(waiting).toHaveLength(2)
    for (const release of waiting.splice(0)) release()
  }
  expect(await asked).toEqual(upTo(6).map(() => allowed))
  expect(backend.connections()).toBe(2)
})

test('a question that is not answered in time gives its place back, and so does one that waited behind it', async () => {
  const backend = await startBackend()
  backend.says(() => undefined)
  const failed: string[] = []
  const observer = { ...silent, failed: (reason: string) => void failed.push(reason) }
  const preSend = asking(backend.url, { connections: 1, observer, timeoutMs: 500 })
  const late = upTo(3).map((n) => preSend.ask(about(`${n}`)))
  const unavailable = { status: 'rejected', reason: expect.objectContaining({ code: 'UNAVAILABLE' }) }
  expect(await Promise.allSettled(late)).toEqual(late.map(() => expect.objectContaining(unavailable)))
  expect(failed).toEqual(['timeout', 'timeout', 'timeout'])
  backend.says(allowed)
  await expect.poll(() => preSend.ask(about('next')).catch(() => 'late')).toEqual(allowed)
})

test('all secrets sign, and each of them is enough', async () => {
  const backend = await startBackend()
  const secrets = [1, 2].map((fill) => new Uint8Array(24).fill(fill))
  await asking(backend.url, { secrets }).ask(about('hi'))
  const { text, headers } = backend.asked[0] ?? expect.fail()
  for (const secret of secrets)
    expect(new Webhook(secretText(secret)).verify(text, headers as Record<string, string>)).toMatchObject({
      body: 'hi',
    })
})
