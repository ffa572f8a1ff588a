import { createHash, createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { listen } from './listen.ts'

// This is the SDK's only switch for its warning about this Node version.
env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'

type S3rver = { configureBuckets(): Promise<unknown>; callback(): RequestListener; logger: { close(): void } }
const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => S3rver

export const s3Credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

/** Starts an S3 with one bucket. s3rver does not check the signatures of today, so that is done here, in front of it. */
export async function startS3(bucket: string) {
  const directory = await mkdtemp(join(tmpdir(), 'parley-s3-'))
  const s3 = new S3rver({ directory, silent: true, configureBuckets: [{ name: bucket }] })
  await s3.configureBuckets()
  const answer = s3.callback()
  const server = createServer((request, response) => {
    if (isSignedUrl(request) && !isIntact(request)) {
      request.resume()
      response
        .writeHead(403, { 'content-type': 'application/xml' })
        .end('<Error><Code>SignatureDoesNotMatch</Code></Error>')
    } else if (request.method === 'DELETE' && partsOf(request).query.has('uploadId')) {
      // s3rver cannot end a multipart upload, and keeps nothing of one that anybody could fetch.
      request.resume()
      response.writeHead(204).end()
    } else answer(request, response)
  })
  const { origin: endpoint, stop } = await listen(server)
  return {
    endpoint,
    /** Where it keeps its objects. */
    directory,
    async stop() {
      await stop()
      s3.logger.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const partsOf = (request: IncomingMessage): { path: string; pairs: string[]; query: URLSearchParams } => {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  return { path, pairs: query.split('&'), query: new URLSearchParams(query) }
}

const isSignedUrl = (request: IncomingMessage): boolean => partsOf(request).query.has('X-Amz-Signature')

/** Checks AWS Signature Version 4 of a signed URL: the request must be what was signed, and in time. */
function isIntact(request: IncomingMessage): boolean {
  const { path, pairs, query } = partsOf(request)
  const [accessKeyId, day = '', region = '', service = ''] = (query.get('X-Amz-Credential') ?? '').split('/')
  const date = query.get('X-Amz-Date') ?? ''
  const signedHeaders = query.get('X-Amz-SignedHeaders') ?? ''
  const headers = signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`)
  const canonical = [
    request.method,
    path,
    pairs
      .filter((pair) => !pair.startsWith('X-Amz-Signature='))
      .sort()
      .join('&'),
    headers.join(''),
    signedHeaders,
    'UNSIGNED-PAYLOAD',
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', date, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${s3Credentials.secretAccessKey}`,
  )
  const begin = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'))
  const inTime = Date.now() < begin + Number(query.get('X-Amz-Expires')) * 1000
  const signature = createHmac('sha256', key).update(toSign).digest('hex')
  return inTime && accessKeyId === s3Credentials.accessKeyId && signature === query.get('X-Amz-Signature')
}
