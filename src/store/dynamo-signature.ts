import { createHmac, hash } from 'node:crypto'
import type { Credentials } from './dynamo-wire.ts'

// AWS Signature Version 4 of one kind of request: a POST of JSON to one place. The key to sign with changes with the day and
// the credentials only, so a request costs two hashes and one HMAC.

export type SignedRequest = { target: string; body: Uint8Array; credentials: Credentials; atMs: number }
export type Sign = (request: SignedRequest) => Record<string, string>

const contentType = 'application/x-amz-json-1.0'

/** Returns the headers to send, all but the host and the length. */
export function createSign({ url, region }: { url: URL; region: string }): Sign {
  const path = canonicalPath(url.pathname)
  let key: { of: string; bytes: Buffer } | undefined
  let last = { second: Number.NaN, date: '' }

  function dateOf(atMs: number): string {
    const second = Math.floor(atMs / 1000)
    if (second !== last.second) last = { second, date: new Date(atMs).toISOString().replace(/\.\d+|[-:]/g, '') }
    return last.date
  }

  function keyOf(day: string, { secretAccessKey }: Credentials): Buffer {
    const of = `${day} ${secretAccessKey}`
    if (key?.of !== of) {
      const steps = [day, region, 'dynamodb', 'aws4_request']
      key = { of, bytes: steps.reduce(hmac, Buffer.from(`AWS4${secretAccessKey}`)) }
    }
    return key.bytes
  }

  return ({ target, body, credentials, atMs }) => {
    const date = dateOf(atMs)
    const day = date.slice(0, 8)
    const scope = `${day}/${region}/dynamodb/aws4_request`
    const { sessionToken } = credentials
    // In the order of the alphabet.
    const names = `content-type;host;x-amz-date;${sessionToken === undefined ? '' : 'x-amz-security-token;'}x-amz-target`
    const token = sessionToken === undefined ? '' : `x-amz-security-token:${sessionToken}\n`
    const headers = `content-type:${contentType}\nhost:${url.host}\nx-amz-date:${date}\n${token}x-amz-target:${target}\n`
    const request = `POST\n${path}\n\n${headers}\n${names}\n${hash('sha256', body)}`
    const toSign = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash('sha256', request)}`
    const signature = createHmac('sha256', keyOf(day, credentials)).update(toSign).digest('hex')
    return {
      'content-type': contentType,
      'x-amz-date': date,
      'x-amz-target': target,
      ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
      authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    }
  }
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Encoded once more than it is sent: the rule for all services but S3. */
const canonicalPath = (path: string): string =>
  path
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/')
