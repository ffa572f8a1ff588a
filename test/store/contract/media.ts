import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Attachment } from '../../../src/ports/log.ts'
import type { Media, SignedPut } from '../../../src/ports/media.ts'
import { attachmentId } from '../../../src/protocol/ids.ts'

export type MediaBackend = {
  /** Returns the same store under another clock. */
  at(clock: Clock): Media
  /** The origin of the server behind the URLs. */
  origin: string
}

export function mediaContract(open: () => MediaBackend): void {
  const clockAt = (nowMs: number): Clock => ({ now: () => nowMs, monotonic: () => nowMs, sleep: async () => undefined })
  const media = (offsetMs = 0): Media => open().at(clockAt(Date.now() + offsetMs))
  const absolute = (url: string): string => new URL(url, open().origin).href
  const put = (signed: SignedPut, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(absolute(signed.url), { method: 'PUT', body, headers: { ...signed.headers, ...headers } })
  const get = async (file: Attachment, by = media()) => fetch(absolute(await by.presignGet(file)))

  const aFile = (given: Partial<Attachment> = {}): Attachment => {
    const id = attachmentId(500_000, randomUUID())
    return { id, key: `attachments/${id}`, contentType: 'image/png', byteSize: 5, name: 'a cat.png', ...given }
  }
  async function stored(given: Partial<Attachment> = {}): Promise<Attachment> {
    const file = aFile(given)
    expect((await put(await media().presignPut(file), 'bytes')).status).toBe(200)
    return file
  }

  describe('an upload', () => {
    test('is there once its bytes have been put, and can be fetched', async () => {
      const file = aFile()
      const signed = await media().presignPut(file)
      expect(signed.headers).toEqual({ 'content-type': 'image/png' })
      expect(await media().isUploaded(file)).toBe(false)
      expect((await get(file)).status).toBe(404)

      expect((await put(signed, 'bytes')).status).toBe(200)

      expect(await media().isUploaded(file)).toBe(true)
      const answer = await get(file)
      expect(await answer.text()).toBe('bytes')
      expect(answer.headers.get('content-type')).toBe('image/png')
    })

    test('may be repeated', async () => {
      const file = aFile()
      const signed = await media().presignPut(file)
      await put(signed, 'first')
      expect((await put(signed, 'again')).status).toBe(200)
      expect(await (await get(file)).text()).toBe('again')
    })

    test('of 3 MB comes back as it was', async () => {
      const bytes = new Uint8Array(3 * 1024 * 1024).map((_, i) => (i * 7) % 251)
      const file = aFile({ byteSize: bytes.length, contentType: 'application/zip' })
      await put(await media().presignPut(file), bytes)
      expect(Buffer.from(await (await get(file)).arrayBuffer()).equals(bytes)).toBe(true)
    })

    test.each([
      ['another type', 'bytes', { 'content-type': 'text/html' }],
      ['more bytes', 'bytes and more', {}],
      ['fewer bytes', 'byte', {}],
    ])('of %s than promised is refused', async (_what, body, headers) => {
      const file = aFile()
      const answer = await put(await media().presignPut(file), body, headers)
      expect([403, 413]).toContain(answer.status)
      await answer.arrayBuffer()
      expect(await media().isUploaded(file)).toBe(false)
    })

    test('that was promised otherwise is not there', async () => {
      const file = await stored()
      expect(await media().isUploaded({ ...file, byteSize: 6 })).toBe(false)
    })

    test('comes too late after 15 minutes', async () => {
      const minute = 60_000
      expect((await put(await media(-14 * minute).presignPut(aFile()), 'bytes')).status).toBe(200)
      expect((await put(await media(-16 * minute).presignPut(aFile()), 'bytes')).status).toBe(403)
    })
  })

  describe('a signed URL', () => {
    test('allows what it was signed for, and nothing else', async () => {
      const [file, other] = [await stored(), await stored()]
      const [read, write] = [absolute(await media().presignGet(file)), await media().presignPut(file)]
      expect((await fetch(absolute(write.url))).status).toBe(403)
      expect((await put({ ...write, url: read }, 'bytes')).status).toBe(403)
      expect((await fetch(read.replace(file.id, other.id))).status).toBe(403)
      expect((await fetch(read.replace('image', 'text'))).status).toBe(403)
      expect((await fetch(read.replace(/(signature=)[^&]*/i, '$1abc'))).status).toBe(403)
    })

    test('for reading is good for an hour at least, and for two at most', async () => {
      const file = await stored()
      const minute = 60_000
      expect((await get(file, media(-59 * minute))).status).toBe(200)
      expect((await get(file, media(-120 * minute))).status).toBe(403)
    })

    test('for reading stays the same for a while', async () => {
      const file = aFile()
      const halfPastMs = Date.UTC(2026, 0, 1, 12, 30)
      const at = (ms: number) =>
        open()
          .at(clockAt(halfPastMs + ms))
          .presignGet(file)
      expect(await at(29 * 60_000)).toBe(await at(0))
      expect(await at(30 * 60_000)).not.toBe(await at(0))
    })
  })

  describe('what a browser is told', () => {
    test.each([
      ['image/png', 'inline'],
      ['audio/mpeg', 'inline'],
      ['video/mp4', 'inline'],
      ['application/pdf', 'inline'],
      ['text/html', 'attachment'],
      ['image/svg+xml', 'attachment'],
      ['text/javascript', 'attachment'],
      ['application/xhtml+xml', 'attachment'],
      ['text/plain', 'attachment'],
    ])('about %s: %s', async (contentType, kind) => {
      const answer = await get(await stored({ contentType, name: 'it' }))
      expect(answer.headers.get('content-type')).toBe(contentType)
      expect(answer.headers.get('content-disposition')).toBe(`${kind}; filename*=UTF-8''it`)
      await answer.arrayBuffer()
    })

    test('is a name that cannot end the header', async () => {
      const answer = await get(await stored({ name: `Käse "x"; ('y').png` }))
      expect(answer.headers.get('content-disposition')).toBe(
        `inline; filename*=UTF-8''K%C3%A4se%20%22x%22%3B%20%28%27y%27%29.png`,
      )
    })

    test('is no name where there is none', async () => {
      const { name: _none, ...nameless } = aFile()
      await put(await media().presignPut(nameless), 'bytes')
      expect((await get(nameless)).headers.get('content-disposition')).toBe('inline')
    })
  })

  test('what is removed is gone, also twice', async () => {
    const file = await stored()
    await media().remove(file.key)
    await media().remove(file.key)
    expect(await media().isUploaded(file)).toBe(false)
    expect((await get(file)).status).toBe(404)
  })
}
