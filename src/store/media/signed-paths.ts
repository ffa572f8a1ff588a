// URLs of files that the node itself keeps. They lead to /media, and are signed like those of S3: method, key, type, size, name and end are under
// the signature, so a URL allows exactly one thing.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../ports/clock.ts'

/** What a URL is about. `key` says where the bytes are. */
export type StoredFile = { key: string; contentType: string; byteSize: number; name?: string }

/** The first signs, all are accepted. */
export type UrlSecrets = readonly [Uint8Array, ...Uint8Array[]]

export function createSignedPaths({ secrets, clock }: { secrets: UrlSecrets; clock: Clock }) {
  const sign = (secret: Uint8Array, method: string, query: URLSearchParams): Buffer =>
    createHmac('sha256', secret).update(`${method}\n${query}`).digest()

  function pathOf(method: 'GET' | 'PUT', file: StoredFile, untilMs: number): string {
    const query = queryOf(file, untilMs)
    const signature = sign(secrets[0], method, query).toString('base64url')
    return `/media?${query}&signature=${signature}`
  }

  /** Returns what a signed URL allows, or undefined if the signature is wrong or the URL has expired. */
  function accept(method: 'GET' | 'PUT', given: URLSearchParams): StoredFile | undefined {
    const file = fileOf(given)
    const untilMs = Number(given.get('until'))
    const signature = Buffer.from(given.get('signature') ?? '', 'base64url')
    const isOurs = secrets.some((secret) => {
      const expected = sign(secret, method, queryOf(file, untilMs))
      return signature.length === expected.length && timingSafeEqual(signature, expected)
    })
    return isOurs && clock.now() < untilMs ? file : undefined
  }

  return { pathOf, accept }
}

const queryOf = ({ key, contentType, byteSize, name }: StoredFile, untilMs: number): URLSearchParams =>
  new URLSearchParams({
    key,
    type: contentType,
    size: String(byteSize),
    ...(name !== undefined && { name }),
    until: String(untilMs),
  })

function fileOf(query: URLSearchParams): StoredFile {
  const name = query.get('name')
  return {
    key: query.get('key') ?? '',
    contentType: query.get('type') ?? '',
    byteSize: Number(query.get('size')),
    ...(name !== null && { name }),
  }
}
