import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Chat } from '../../packages/client/src/chat.ts'
import { refreshAttachments, type UploadFile, upload } from '../../packages/client/src/media.ts'
import { networkFailure, refused, retrying, scriptedAsk, settled } from './kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const picture: UploadFile = { bytes: new Uint8Array(10), type: 'image/png', name: 'cat.png' }

const place = (id: string) => ({
  createUpload: {
    attachment: { id, url: `http://store/get/${id}`, contentType: 'image/png', byteSize: 10, name: 'cat.png' },
    uploadUrl: `http://store/put/${id}`,
    headers: [
      { name: 'content-type', value: 'image/png' },
      { name: 'Content-Length', value: '10' },
    ],
  },
})

function start() {
  const asks = scriptedAsk()
  const { retryUntilAnswered, ...rest } = retrying()
  const chat = { ask: asks.ask, insist: retryUntilAnswered } as Partial<Chat> as Chat
  const begin = (file: UploadFile = picture) => {
    const begun = upload(chat, file)
    const states: string[] = []
    begun.progress.subscribe(() => {
      const { state, sentBytes, byteSize } = begun.progress.get()
      states.push(`${state} ${sentBytes}/${byteSize}`)
    })
    begun.attachment.catch(() => undefined)
    return { ...begun, states }
  }
  return { ...asks, ...rest, chat, begin }
}

describe('a file, with fetch', () => {
  const store = vi.fn<(url: string, init: RequestInit) => Promise<Response>>()
  beforeEach(() => {
    store.mockReset()
    vi.stubGlobal('fetch', store)
  })
  const answers = (status: number) => async () => new Response(null, { status })

  it('is announced, put with the headers it is told to, and then has its id', async () => {
    const { begin, answer, all } = start()
    store.mockImplementation(answers(200))
    const { attachment, progress } = begin()
    await answer(place('att_1'))
    expect(await attachment).toMatchObject({ id: 'att_1' })
    expect(all.map(({ variables }) => variables)).toEqual([
      { input: { contentType: 'image/png', byteSize: 10, name: 'cat.png' } },
    ])
    const [url, { method, headers, body }] = store.mock.calls[0] ?? ['', {}]
    expect([url, method, headers]).toEqual(['http://store/put/att_1', 'PUT', [['content-type', 'image/png']]])
    expect((body as Blob).size).toBe(10)
    expect(progress.get()).toEqual({ state: 'done', sentBytes: 10, byteSize: 10 })
  })

  it('without a type or a name is one of octets', async () => {
    const { begin, all } = start()
    begin(new Blob(['abc']))
    expect(all[0]?.variables).toEqual({ input: { contentType: 'application/octet-stream', byteSize: 3 } })
  })

  it('is put again where the store does not answer, or not now, without being announced again', async () => {
    const { begin, answer, all } = start()
    store.mockRejectedValueOnce(new TypeError('terminated')).mockImplementationOnce(answers(503))
    store.mockImplementation(answers(204))
    const { attachment } = begin()
    await answer(place('att_1'))
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await attachment).toMatchObject({ id: 'att_1' })
    expect(store).toHaveBeenCalledTimes(3)
    expect(all).toHaveLength(1)
  })

  it('is announced again when its place has expired', async () => {
    const { begin, answer } = start()
    store.mockImplementationOnce(answers(403)).mockImplementation(answers(200))
    const { attachment } = begin()
    await answer(place('att_1'))
    await answer(place('att_2'))
    expect(await attachment).toMatchObject({ id: 'att_2' })
  })

  it('that is refused twice has failed, and so has one that cannot be announced', async () => {
    const { begin, answer, fail } = start()
    store.mockImplementation(answers(400))
    const one = begin()
    await answer(place('att_1'))
    await answer(place('att_2'))
    await expect(one.attachment).rejects.toMatchObject({ code: 'FORBIDDEN', retryable: false })
    expect(one.progress.get()).toMatchObject({ state: 'failed', error: { code: 'FORBIDDEN' } })
    const other = begin()
    await fail(networkFailure)
    await vi.advanceTimersByTimeAsync(30_000)
    await fail(refused('BAD_USER_INPUT', 'Too large.'))
    await expect(other.attachment).rejects.toMatchObject({ message: 'Too large.' })
  })

  it('that is cancelled stops at once, wherever it is', async () => {
    const { begin, answer } = start()
    store.mockImplementation(
      (_url, { signal }) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')))),
    )
    const { attachment, cancel, progress } = begin()
    await answer(place('att_1'))
    cancel()
    await expect(attachment).rejects.toMatchObject({ message: 'Cancelled.' })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(progress.get().state).toBe('cancelled')
    expect(store).toHaveBeenCalledTimes(1)
  })

  it('that is cancelled while nobody answers is not announced again', async () => {
    const { begin, fail, all } = start()
    const { attachment, cancel } = begin()
    await fail(networkFailure)
    cancel()
    await expect(attachment).rejects.toMatchObject({ message: 'Cancelled.' })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(all).toHaveLength(1)
    expect(store).not.toHaveBeenCalled()
  })
})

describe('a file, in a browser', () => {
  class Request {
    static all: Request[] = []
    upload: { onprogress?: (event: { loaded: number }) => void } = {}
    headers: string[] = []
    status = 0
    aborted = false
    onload: () => void = () => undefined
    onerror: () => void = () => undefined
    onabort: () => void = () => undefined
    opened = ''
    open(...args: string[]): void {
      this.opened = args.join(' ')
    }
    setRequestHeader(...args: string[]): void {
      this.headers.push(args.join(': '))
    }
    send(): void {
      Request.all.push(this)
    }
    abort(): void {
      this.aborted = true
      this.onabort()
    }
    end(status: number): void {
      this.status = status
      this.onload()
    }
  }
  beforeEach(() => {
    Request.all = []
    vi.stubGlobal('XMLHttpRequest', Request)
  })

  it('tells how much of it has gone', async () => {
    const { begin, answer } = start()
    const { attachment, states } = begin()
    await answer(place('att_1'))
    const [request] = Request.all
    expect([request?.opened, request?.headers]).toEqual(['PUT http://store/put/att_1', ['content-type: image/png']])
    request?.upload.onprogress?.({ loaded: 4 })
    request?.upload.onprogress?.({ loaded: 10 })
    request?.end(200)
    expect(await attachment).toMatchObject({ id: 'att_1' })
    expect(states.slice(1)).toEqual(['uploading 4/10', 'uploading 10/10', 'done 10/10'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('begins again at nothing where the way breaks, or no byte goes for half a minute', async () => {
    const { begin, answer } = start()
    const { attachment, progress } = begin()
    await answer(place('att_1'))
    Request.all[0]?.upload.onprogress?.({ loaded: 4 })
    Request.all[0]?.onerror()
    await vi.advanceTimersByTimeAsync(500)
    expect(progress.get()).toMatchObject({ state: 'uploading', sentBytes: 0 })
    await vi.advanceTimersByTimeAsync(29_000)
    Request.all[1]?.upload.onprogress?.({ loaded: 4 })
    await vi.advanceTimersByTimeAsync(29_999)
    expect(Request.all[1]?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(Request.all[1]?.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(1000)
    Request.all[2]?.end(200)
    expect(await attachment).toMatchObject({ id: 'att_1' })
  })

  it('that is cancelled is not sent on', async () => {
    const { begin, answer } = start()
    const { attachment, cancel, progress } = begin()
    await answer(place('att_1'))
    cancel()
    await expect(attachment).rejects.toMatchObject({ message: 'Cancelled.' })
    expect(Request.all[0]?.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(Request.all).toHaveLength(1)
    expect(progress.get().state).toBe('cancelled')
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('attachments have new addresses when asked for, and a message that is gone has none', async () => {
  const { chat, answer } = start()
  const read = refreshAttachments(chat, 'msg_1')
  await answer({ node: { attachments: [place('att_1').createUpload.attachment] } })
  expect(await read).toMatchObject([{ id: 'att_1' }])
  const none = refreshAttachments(chat, 'msg_2')
  await answer({ node: null })
  expect(await none).toEqual([])
  await settled()
})
