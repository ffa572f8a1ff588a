// Keeps files in a directory of its own, for development: DIRECTORY/<attachment id>, DIRECTORY/<…>.part while one arrives, and in
// DIRECTORY/exports what results-disk.ts writes. signed-paths.ts makes the URLs.

import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../../ports/clock.ts'
import type { Media } from '../../ports/media.ts'
import { unavailable } from '../../protocol/errors.ts'
import { type AttachmentId, isAttachmentId } from '../../protocol/ids.ts'
import { createSignedPaths, type StoredFile, type UrlSecrets } from './signed-paths.ts'
import { putTtlMs, readingWindow } from './window.ts'

export type MediaDiskOptions = { directory: string; secrets: UrlSecrets; clock: Clock }

const prefix = 'attachments/'

export function createMediaDisk({ directory, secrets, clock }: MediaDiskOptions) {
  const paths = createSignedPaths({ secrets, clock })

  const media: Media = {
    presignPut: async (file) => ({
      url: paths.pathOf('PUT', file, clock.now() + putTtlMs),
      headers: { 'content-type': file.contentType },
    }),
    presignGet: async (file) => paths.pathOf('GET', file, readingWindow(clock.now()).untilMs),
    isUploaded: async ({ key, byteSize }) => (await sizeOf(pathOf(key))) === byteSize,
    remove: async (key) => rm(pathOf(key), { force: true }),
  }

  function accept(method: 'GET' | 'PUT', given: URLSearchParams): StoredFile | undefined {
    const file = paths.accept(method, given)
    return file && find(directory, file.key) ? file : undefined
  }

  /** Writes to a temporary file first, so that a file is complete or does not exist. */
  async function write({ key, byteSize }: StoredFile, bytes: Readable): Promise<boolean> {
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

  async function read({ key }: StoredFile): Promise<{ byteSize: number; bytes: () => Readable } | undefined> {
    const path = pathOf(key)
    const byteSize = await sizeOf(path)
    return byteSize === undefined ? undefined : { byteSize, bytes: () => createReadStream(path) }
  }

  function pathOf(key: string): string {
    const path = find(directory, key)
    if (!path) throw unavailable(new Error(`${key} is no key of a file.`))
    return path
  }

  return { ...media, accept, write, read }
}

/** An id has neither dots nor slashes, so no key leads out of the directory. */
export function find(directory: string, key: string): string | undefined {
  const id = idOf(key)
  if (id) return join(directory, id)
  return /^exports\/[\w-]{1,100}$/.test(key) ? join(directory, key) : undefined
}

function idOf(key: string): AttachmentId | undefined {
  const id = key.slice(prefix.length)
  return key.startsWith(prefix) && isAttachmentId(id) ? id : undefined
}

export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
