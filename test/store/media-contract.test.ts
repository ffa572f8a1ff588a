import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Clock } from '../../src/ports/clock.ts'
import type { Attachment } from '../../src/ports/log.ts'
import { attachmentId } from '../../src/protocol/ids.ts'
import { createMediaDisk } from '../../src/store/media/disk.ts'
import { createResultsDisk } from '../../src/store/media/results-disk.ts'
import { createMediaS3 } from '../../src/store/media/s3.ts'
import { createErrorMapper } from '../../src/transport/execution/errors.ts'
import { createHttpServer } from '../../src/transport/http/http.ts'
import { createMediaRoute } from '../../src/transport/http/media.ts'
import { createOrigins } from '../../src/transport/http/origins.ts'
import { s3Credentials, startS3 } from '../kit/services/s3.ts'
import { type MediaBackend, mediaContract } from './contract/media.ts'
import { resultsContract } from './contract/results.ts'

const realClock: Clock = { now: Date.now, monotonic: () => performance.now(), sleep: async () => undefined }

const aFile = (given: Partial<Attachment> = {}): Attachment => {
  const id = attachmentId(500_000, randomUUID())
  return { id, key: `attachments/${id}`, contentType: 'image/png', byteSize: 5, ...given }
}

describe('media on S3', () => {
  const bucket = 'pictures'
  const clients: { close(): void }[] = []
  let s3: Awaited<ReturnType<typeof startS3>>
  beforeAll(async () => {
    s3 = await startS3(bucket)
  })
  afterAll(async () => {
    for (const client of clients) client.close()
    await s3.stop()
  })

  const at = (clock: Clock, endpoint = s3.endpoint) => {
    const media = createMediaS3({ bucket, endpoint, region: 'us-east-1', credentials: s3Credentials, clock })
    clients.push(media)
    return media
  }

  mediaContract((): MediaBackend => ({ at, origin: s3.endpoint }))
  resultsContract(() => ({ at: (clock) => at(clock).results, origin: s3.endpoint }))

  test('an upload is bound to its size and type by what is signed', async () => {
    const { url } = await at(realClock).presignPut(aFile())
    const { searchParams } = new URL(url)
    expect(searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host')
    expect(searchParams.get('X-Amz-Expires')).toBe('900')
    // The checksum of an empty body would refuse every file.
    expect([...searchParams.keys()].filter((name) => /checksum/i.test(name))).toEqual([])
  })

  test('what is there with another type is not what was promised', async () => {
    const file = aFile()
    const { url, headers } = await at(realClock).presignPut(file)
    await fetch(url, { method: 'PUT', headers, body: 'bytes' })
    expect(await at(realClock).isUploaded({ ...file, contentType: 'image/gif' })).toBe(false)
  })

  test('an S3 that does not answer is UNAVAILABLE, not a missing file', async () => {
    const nobody = at(realClock, 'http://127.0.0.1:1')
    await expect(nobody.isUploaded(aFile())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(nobody.remove(aFile().key)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})

describe('media on disk', () => {
  const secret = randomBytes(32)
  let directory: string
  let origin: string
  let close: () => Promise<unknown>
  beforeAll(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'parley-media-')), 'media')
    const route = createMediaRoute(at(realClock))
    const errors = createErrorMapper(pino({ level: 'silent' }), randomUUID)
    const server = createHttpServer({ '/media': route }, createOrigins(['https://chat.example']), errors)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    close = async () => {
      server.closeAllConnections()
      server.close()
      await rm(join(directory, '..'), { recursive: true, force: true })
    }
  })
  afterAll(() => close())

  const at = (clock: Clock) => createMediaDisk({ directory, secrets: [secret], clock })
  const putUrl = async (file: Attachment) => new URL((await at(realClock).presignPut(file)).url, origin)

  mediaContract((): MediaBackend => ({ at, origin }))
  resultsContract(() => ({ at: (clock) => createResultsDisk({ directory, secrets: [secret], clock }), origin }))

  test('another node with the same secret accepts the URLs of the first, one with another does not', async () => {
    const file = aFile()
    const query = new URLSearchParams((await at(realClock).presignPut(file)).url.split('?')[1])
    const { id: _id, ...stored } = file
    expect(at(realClock).accept('PUT', query)).toEqual(stored)
    const stranger = createMediaDisk({ directory, secrets: [randomBytes(32)], clock: realClock })
    expect(stranger.accept('PUT', query)).toBeUndefined()
  })

  test.each(['attachments/../secret', '../secret', '/etc/passwd', 'attachments/att_1_0/../../x', ''])(
    'no key leads out of the directory: %s',
    async (key) => {
      const disk = at(realClock)
      const file = aFile({ key })
      expect(disk.accept('GET', new URLSearchParams((await disk.presignGet(file)).split('?')[1]))).toBeUndefined()
      await expect(disk.remove(key)).rejects.toThrow()
      await expect(disk.isUploaded(file)).rejects.toThrow()
    },
  )

  test('a file never runs in a browser, whatever it calls itself', async () => {
    const file = aFile({ contentType: 'text/html' })
    await fetch(await putUrl(file), { method: 'PUT', headers: { 'content-type': 'text/html' }, body: '<b>hi' })
    const { headers } = await fetch(new URL(await at(realClock).presignGet(file), origin))
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test('too much is refused with 413, before it is read', async () => {
    const body = new Uint8Array(1024 * 1024)
    const answer = await fetch(await putUrl(aFile()), { method: 'PUT', headers: { 'content-type': 'image/png' }, body })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ error: { message: 'Expected content-length: 5.' } })
  })

  test('a length that is not said is asked for', async () => {
    const url = await putUrl(aFile())
    const sent = httpRequest(url, {
      method: 'PUT',
      headers: { 'content-type': 'image/png', 'transfer-encoding': 'chunked' },
    })
    sent.end('bytes')
    const [answer] = await once(sent, 'response')
    answer.resume()
    expect(answer.statusCode).toBe(411)
  })

  test('an upload that breaks off leaves nothing behind', async () => {
    const file = aFile({ byteSize: 1_000_000 })
    const headers = { 'content-type': 'image/png', 'content-length': 1_000_000 }
    const sent = httpRequest(await putUrl(file), { method: 'PUT', headers })
    sent.on('error', () => undefined)
    sent.write(new Uint8Array(400_000))
    const parts = async () => (await readdir(directory)).filter((name) => name.startsWith(file.id))
    await expect.poll(parts).toHaveLength(1)
    sent.destroy()
    await expect.poll(parts).toEqual([])
    expect(await at(realClock).isUploaded(file)).toBe(false)
  })

  test('pages of allowed origins may upload, others may not read the answer', async () => {
    const preflight = (page: string) => fetch(`${origin}/media`, { method: 'OPTIONS', headers: { origin: page } })
    const { headers } = await preflight('https://chat.example')
    expect(headers.get('access-control-allow-origin')).toBe('https://chat.example')
    expect(headers.get('access-control-allow-methods')).toContain('PUT')
    expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
  })
})
