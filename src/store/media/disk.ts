// Keeps files in a directory of its own, for development: DIRECTORY/<attachment id>, and DIRECTORY/<…>.part while one
// arrives. URLs lead to the node itself, at /media, and are signed like those of S3: method, key, type, size, name and end
// are under the signature, so a URL allows exactly one thing.

import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../../ports/clock.ts'
import type { Attachment } from '../../ports/log.ts'
import type { Media } from '../../ports/media.ts'
import { unavailable } from '../../protocol/errors.ts'
import { type AttachmentId, isAttachmentId } from '../../protocol/ids.ts'
import { putTtlMs, readingWindow } from './window.ts'

/** The first secret signs, all are accepted. */
type MediaDiskOptions = { directory: string; secrets: readonly [Uint8Array, ...Uint8Array[]]; clock: Clock }

const prefix = 'attachments/'

export function createMediaDisk({ directory, secrets, clock }: MediaDiskOptions) {
  const sign = (secret: Uint8Array, method: string, query: URLSearchParams): Buffer =>
    createHmac('sha256', secret).update(`${method}\n${query}`).digest()

  function urlOf(method: 'GET' | 'PUT', file: Attachment, untilMs: number): string {
    const query = queryOf(file, untilMs)
    const signature = sign(secrets[0], method, query).toString('base64url')
    return `/media?${query}&signature=${signature}`
  }

  const media: Media = {
    presignPut: async (file) => ({
      url: urlOf('PUT', file, clock.now() + putTtlMs),
      headers: { 'content-type': file.contentType },
    }),
    presignGet: async (file) => urlOf('GET', file, readingWindow(clock.now()).untilMs),
    isUploaded: async ({ key, byteSize }) => (await sizeOf(pathOf(key))) === byteSize,
    remove: async (key) => rm(pathOf(key), { force: true }),
  }

  /** Returns what a signed URL allows, or undefined if the signature is wrong or the URL has expired. */
  function accept(method: 'GET' | 'PUT', given: URLSearchParams): Attachment | undefined {
    const file = fileOf(given)
    const untilMs = Number(given.get('until'))
    if (!file) return undefined
    const signature = Buffer.from(given.get('signature') ?? '', 'base64url')
    const isOurs = secrets.some((secret) => {
      const expected = sign(secret, method, queryOf(file, untilMs))
      return signature.length === expected.length && timingSafeEqual(signature, expected)
    })
    return isOurs && clock.now() < untilMs ? file : undefined
  }

  /** Writes to a temporary file first, so that a file is complete or does not exist. */
  async function write({ key, byteSize }: Attachment, bytes: Readable): Promise<boolean> {
    const path = pathOf(key)
    const part = `${path}.${randomUUID()}.part`
    await mkdir(directory, { recursive: true })
    try {
      await pipeline(bytes, createWriteStream(part, { flags: 'wx', mode: 0o600 }))
      if ((await sizeOf(part)) !== byteSize) return false
      await rename(part, path)
      return true
    } finally {
      await rm(part, { force: true })
    }
  }

  async function read({ key }: Attachment): Promise<{ byteSize: number; bytes: () => Readable } | undefined> {
    const path = pathOf(key)
    const byteSize = await sizeOf(path)
    return byteSize === undefined ? undefined : { byteSize, bytes: () => createReadStream(path) }
  }

  /** An id has neither dots nor slashes, so no key leads out of the directory. */
  function pathOf(key: string): string {
    const id = idOf(key)
    if (!id) throw unavailable(new Error(`${key} is no key of an attachment.`))
    return join(directory, id)
  }

  return { ...media, accept, write, read }
}

function idOf(key: string): AttachmentId | undefined {
  const id = key.slice(prefix.length)
  return key.startsWith(prefix) && isAttachmentId(id) ? id : undefined
}

const queryOf = ({ key, contentType, byteSize, name }: Attachment, untilMs: number): URLSearchParams =>
  new URLSearchParams({
    key,
    type: contentType,
    size: String(byteSize),
    ...(name !== undefined && { name }),
    until: String(untilMs),
  })

function fileOf(query: URLSearchParams): Attachment | undefined {
  const key = query.get('key') ?? ''
  const id = idOf(key)
  const name = query.get('name')
  if (!id) return undefined
  const contentType = query.get('type') ?? ''
  return { id, key, contentType, byteSize: Number(query.get('size')), ...(name !== null && { name }) }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
