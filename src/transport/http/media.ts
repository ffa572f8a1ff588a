import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ChatError } from '../../protocol/errors.ts'
import { contentDisposition } from '../../protocol/media-type.ts'
import { HttpRefusal } from '../execution/errors.ts'
import { discardBody, type Exchange, type Handler } from './exchange.ts'
import type { Route } from './http.ts'

/** What a signed URL is about. */
type StoredFile = { key: string; contentType: string; byteSize: number; name?: string }

/** The files that the node itself keeps. */
export type MediaFiles = {
  /** Returns what a signed URL allows, if anything. */
  accept(method: 'GET' | 'PUT', query: URLSearchParams): StoredFile | undefined
  /** Returns whether all of it came. */
  write(file: StoredFile, bytes: Readable): Promise<boolean>
  read(file: StoredFile): Promise<{ byteSize: number; bytes: () => Readable } | undefined>
}

const cacheSeconds = 3600

/** Serves /media: the two kinds of signed URLs that S3 would answer, checked as strictly. */
export function createMediaRoute(files: MediaFiles): Route {
  function fileFor(method: 'GET' | 'PUT', { request }: Exchange): StoredFile {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams
    const file = files.accept(method, query)
    if (!file) throw new ChatError('FORBIDDEN', 'This URL is not signed for that, or its time is over.')
    return file
  }

  const get: Handler = async (exchange) => {
    const { request, response } = exchange
    const file = fileFor('GET', exchange)
    const found = await files.read(file)
    if (!found) throw new ChatError('NOT_FOUND', 'There is no such file.')
    response.writeHead(200, {
      'content-type': file.contentType,
      'content-length': found.byteSize,
      'content-disposition': contentDisposition(file),
      'cache-control': `private, max-age=${cacheSeconds}`,
      // The file may be of any kind: it must run nothing and request nothing.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      // A page of another origin shows it by its URL, as it would one of S3.
      'cross-origin-resource-policy': 'cross-origin',
    })
    if (request.method === 'HEAD') response.end()
    else await pipeline(found.bytes(), response)
  }

  const put: Handler = async (exchange) => {
    const { request, response } = exchange
    try {
      const file = fileFor('PUT', exchange)
      assertPromised(exchange, file)
      if (!(await files.write(file, request))) throw new HttpRefusal(400, `Expected ${file.byteSize} bytes.`)
      response.writeHead(200).end()
    } catch (error) {
      discardBody(request)
      throw error
    }
  }

  return { GET: get, PUT: put, forOtherOrigins: true, forAnyPage: true }
}

function assertPromised({ request: { headers } }: Exchange, { contentType, byteSize }: StoredFile): void {
  if (headers['content-type'] !== contentType)
    throw new ChatError('FORBIDDEN', `Expected content-type: ${contentType}.`)
  const announced = headers['content-length']
  const expected = `Expected content-length: ${byteSize}.`
  if (announced === undefined) throw new HttpRefusal(411, expected)
  if (Number(announced) > byteSize) throw new HttpRefusal(413, expected)
  if (Number(announced) < byteSize) throw new ChatError('FORBIDDEN', expected)
}
