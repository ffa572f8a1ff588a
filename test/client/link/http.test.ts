import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SendMessageDocument, ViewerDocument } from '../../../packages/client/src/generated/graphql.ts'
import { createHttp } from '../../../packages/client/src/link/http.ts'
import { openPollingLink } from '../../../packages/client/src/link/polling-link.ts'
import { createTokens } from '../../../packages/client/src/link/tokens.ts'
import { expectNoTimers, isDone, refused, scriptedAsk, settled } from '../kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Answer = (init: RequestInit) => Response | Promise<Response>

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status })
const viewer = { viewer: { id: 'alice', name: null } }
const unauthenticated = () =>
  json({ errors: [{ message: 'No.', extensions: { code: 'UNAUTHENTICATED', retryable: false } }] }, 401)

/** The answers in turn; the last one for ever. */
function start(...answers: Answer[]) {
  const requests: { url: string; token: string | undefined; body: unknown }[] = []
  let given = 0
  const tokens = createTokens(() => `t${++given}`)
  const ask = createHttp({
    url: () => 'http://chat/graphql',
    tokens,
    async fetch(url, init = {}) {
      const headers = init.headers as Record<string, string>
      requests.push({ url: String(url), token: headers.authorization, body: JSON.parse(String(init.body)) })
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (!answer) throw new Error('No answer was prepared.')
      return answer(init)
    },
  })
  return { ask, tokens, requests }
}

describe('a question by HTTP', () => {
  it('carries the document, the variables and the token', async () => {
    const { ask, requests } = start(() => json({ data: { sendMessage: null } }))
    const input = { clientMessageId: 'id1', to: { userId: 'bob' }, body: 'hi' }
    expect(await ask(SendMessageDocument, { input })).toEqual({ sendMessage: null })
    expect(requests).toEqual([
      {
        url: 'http://chat/graphql',
        token: 'Bearer t1',
        body: { query: SendMessageDocument.toString(), variables: { input } },
      },
    ])
    expectNoTimers()
  })

  it('fails with what the server said', async () => {
    const extensions = { code: 'RATE_LIMITED', retryable: true, field: 'body', retryAfterMs: 700 }
    const { ask, requests } = start(() => json({ data: null, errors: [{ message: 'Slowly.', extensions }] }, 429))
    await expect(ask(ViewerDocument, {})).rejects.toMatchObject({ message: 'Slowly.', ...extensions })
    expect(requests).toHaveLength(1)
    expectNoTimers()
  })

  it.each<[string, Answer]>([
    ['cannot be sent', () => Promise.reject(new TypeError('fetch failed'))],
    ['is answered by something that speaks no JSON', () => new Response('<h1>502</h1>', { status: 502 })],
    ['is answered with nothing', () => new Response('', { status: 200 })],
    ['is answered with a number', () => json(7)],
    ['is answered with null', () => json(null)],
    ['is answered without data', () => json({ data: null })],
    ['is answered with an error that is not one of ours', () => json({ errors: [{ message: 'proxy' }] }, 500)],
  ])('that %s is a failure of the network', async (_what, answer) => {
    const { ask } = start(answer)
    await expect(ask(ViewerDocument, {})).rejects.toMatchObject({ code: 'NETWORK', retryable: true })
    expectNoTimers()
  })

  it('waits 10 s for its answer, and no longer', async () => {
    const { ask } = start(
      ({ signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')))),
    )
    const failure = ask(ViewerDocument, {}).catch((error) => error)
    await vi.advanceTimersByTimeAsync(9999)
    expect(await isDone(failure)).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await failure).toMatchObject({ code: 'NETWORK', retryable: true })
    expectNoTimers()
  })

  it('waits 10 s for the end of its answer, too', async () => {
    const { ask } = start(({ signal }) => {
      const body = new ReadableStream({
        start: (controller) => signal?.addEventListener('abort', () => controller.error(new Error('aborted'))),
      })
      return new Response(body)
    })
    const failure = ask(ViewerDocument, {}).catch((error) => error)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await failure).toMatchObject({ code: 'NETWORK' })
  })

  it('whose address cannot be told is a failure of the network', async () => {
    const url = () => {
      throw new Error('not configured')
    }
    const ask = createHttp({ url, tokens: createTokens(() => 't'), fetch: () => Promise.resolve(json({})) })
    await expect(ask(ViewerDocument, {})).rejects.toMatchObject({ code: 'NETWORK' })
    expectNoTimers()
  })
})

describe('a token that is refused', () => {
  it('is replaced, and the question asked once more as it was', async () => {
    const { ask, requests } = start(unauthenticated, () => json({ data: viewer }))
    expect(await ask(ViewerDocument, {})).toEqual(viewer)
    expect(requests.map(({ token }) => token)).toEqual(['Bearer t1', 'Bearer t2'])
    expect(requests[0]?.body).toEqual(requests[1]?.body)
  })

  it('twice is told to whoever asked', async () => {
    const { ask, requests } = start(unauthenticated)
    await expect(ask(ViewerDocument, {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED', retryable: false })
    expect(requests).toHaveLength(2)
  })

  it('by several answers at once is replaced once', async () => {
    const { ask, requests } = start(unauthenticated, unauthenticated, () => json({ data: viewer }))
    await Promise.all([ask(ViewerDocument, {}), ask(ViewerDocument, {})])
    expect(requests.map(({ token }) => token)).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2', 'Bearer t2'])
  })

  it('is the only error for which a question is repeated', async () => {
    const { ask, requests } = start(() => json({ errors: [{ message: 'No.', extensions: { code: 'FORBIDDEN' } }] }))
    await expect(ask(ViewerDocument, {})).rejects.toMatchObject({ code: 'FORBIDDEN', retryable: false })
    expect(requests).toHaveLength(1)
  })
})

describe('the polling link', () => {
  it('is open when the server has answered once', async () => {
    const { ask, answer } = scriptedAsk()
    const opening = openPollingLink(ask)
    expect(await isDone(opening)).toBe(false)
    await answer(viewer, 'Viewer')
    const link = await opening
    expect(link).toMatchObject({ via: 'polling', ask })
    expect(link.follow).toBeUndefined()
    link.close()
    expect(await isDone(link.gone)).toBe(false)
  })

  it('does not open where the server does not answer', async () => {
    const { ask, fail } = scriptedAsk()
    const opening = openPollingLink(ask).catch((error) => error)
    await fail(refused('UNAUTHENTICATED'))
    expect(await opening).toMatchObject({ code: 'UNAUTHENTICATED' })
    await settled()
  })
})
