import { describe, expect, test } from 'vitest'
import { ChatError, errorTable } from '../../../src/protocol/errors.ts'
import type { Viewer } from '../../../src/protocol/viewer.ts'
import { bearer, createManualClock, type Started, start } from '../kit.ts'

const message = {
  id: 'msg_dm_1_7',
  seq: 7,
  conversationId: 'dm_1',
  messageId: '123',
  clientMessageId: 'c1',
  senderId: 'alice',
  body: 'hi',
  sentAt: '2026-01-01T00:00:00.000Z',
}

async function send(
  server: Started,
  body: unknown,
  authorization?: string,
): Promise<{ status: number; body: unknown; headers: Headers }> {
  const response = await fetch(`${server.url}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: authorization ?? (await bearer('alice')) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

describe('POST /messages', () => {
  test('answers 201 with the message, and 200 to a retry', async () => {
    const asked: [Viewer, unknown][] = []
    const server = await start({
      sendMessage: async (viewer, input) => {
        asked.push([viewer, input])
        return { message, duplicate: asked.length > 1 }
      },
    })
    const input = { clientMessageId: 'c1', to: { userId: 'bob' }, body: 'hi' }
    expect(await send(server, input)).toMatchObject({ status: 201, body: { message, duplicate: false } })
    expect(await send(server, input)).toMatchObject({ status: 200, body: { message, duplicate: true } })
    expect(asked[0]).toEqual([expect.objectContaining({ userId: 'alice' }), input])
  })

  test('leaves the judging of all values to the one who sends', async () => {
    const asked: unknown[] = []
    const server = await start({
      sendMessage: async (_viewer, input) => {
        asked.push(input)
        throw new ChatError('NOT_FOUND', 'There is no such conversation for this user.')
      },
    })
    for (const input of [{}, { to: 'bob', body: 7 }, { clientMessageId: null, to: [], body: {}, more: 1 }]) {
      expect(await send(server, input)).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
    }
    expect(asked).toEqual([
      { clientMessageId: undefined, to: undefined, body: undefined },
      { clientMessageId: undefined, to: 'bob', body: 7 },
      { clientMessageId: null, to: [], body: {} },
    ])
  })

  test.each(Object.entries(errorTable))('%s has its status', async (code, { status, retryable }) => {
    const server = await start({
      sendMessage: async () => {
        throw new ChatError(code as keyof typeof errorTable, 'Refused.', { field: 'body' })
      },
    })
    const answer = await send(server, {})
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({ error: { code, message: 'Refused.', retryable, field: 'body' } })
  })

  test('RATE_LIMITED also says when to come back as HTTP does', async () => {
    const server = await start({
      sendMessage: async () => {
        throw new ChatError('RATE_LIMITED', 'Slow down.', { retryAfterMs: 1200 })
      },
    })
    const { headers, body } = await send(server, {})
    expect(headers.get('retry-after')).toBe('2')
    expect(body).toMatchObject({ error: { retryAfterMs: 1200 } })
  })

  test('an unknown error is 500, logged under the id it carries, and says nothing', async () => {
    const server = await start({
      sendMessage: async () => {
        throw new Error('select * from internals')
      },
    })
    const { status, body } = await send(server, {})
    expect(status).toBe(500)
    expect(body).toEqual({
      error: { code: 'INTERNAL', message: expect.any(String), retryable: true, errorId: expect.any(String) },
    })
    expect(JSON.stringify(body)).not.toContain('internals')
    const { errorId } = (body as { error: { errorId: string } }).error
    expect(server.lines).toContainEqual(expect.objectContaining({ errorId, level: 50 }))
  })

  test.each(['Bearer nonsense', 'nonsense', ''])('401 with a bad token: "%s"', async (authorization) => {
    const server = await start()
    expect(await send(server, {}, authorization)).toMatchObject({
      status: 401,
      body: { error: { code: 'UNAUTHENTICATED', retryable: false } },
    })
  })

  test('401 without a token', async () => {
    const server = await start()
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${server.url}/messages`, { method: 'POST', headers, body: '{}' })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  test.each(['{"to":', '[]', 'null', '"text"', '', '7'])('400 to what is no JSON object: %s', async (body) => {
    const server = await start()
    expect(await send(server, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'BAD_USER_INPUT', message: expect.any(String), retryable: false } },
    })
  })

  test('503 when it takes too long', async () => {
    const clock = createManualClock()
    const server = await start({ clock, sendMessage: () => new Promise(() => undefined) })
    const answer = send(server, {})
    await clock.sleeper(2500)
    await clock.advance(2500)
    expect(await answer).toMatchObject({ status: 503, body: { error: { code: 'UNAVAILABLE', retryable: true } } })
  })

  test('is logged and counted like any other operation', async () => {
    const server = await start({ sendMessage: async () => ({ message, duplicate: false }) })
    await send(server, { body: 'a private word' })
    expect(server.lines.filter(({ msg }) => msg === 'operation')).toMatchObject([
      { operation: 'sendMessage', type: 'mutation', transport: 'rest', codes: [] },
    ])
    expect(JSON.stringify(server.lines)).not.toContain('a private word')
  })
})
