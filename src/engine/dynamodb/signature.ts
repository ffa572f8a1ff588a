import { hash } from 'node:crypto'
import { hmac, hmacBy } from '../../shared/hmac.ts'
import type { Credentials } from './wire.ts'

// Signs one kind of request by AWS Signature Version 4: a POST of JSON to one endpoint. The key to sign with changes with the day and
// the credentials only, so a request costs two hashes and one HMAC.

type SignedRequest = { target: string; body: string | Uint8Array; credentials: Credentials; atMs: number }
export type Sign = (request: SignedRequest) => Record<string, string>

const contentType = 'application/x-amz-json-1.0'

/** Returns the headers to send, all but the host and the length. */
export function createSign({ url, region }: { url: URL; region: string }): Sign {
  const fixed = `POST\n${canonicalPath(url.pathname)}\n\ncontent-type:${contentType}\nhost:${url.host}\nx-amz-date:`
  let date = ''
  let second = Number.NaN
  let scope = ''
  let signer: Credentials = { accessKeyId: '', secretAccessKey: '' }
  let signed: (text: string) => string = () => ''
  let authorization = ''
  // The names of the signed headers, in the order of the alphabet.
  let names = ''
  let token = ''

  function setSecond(atMs: number): void {
    second = Math.floor(atMs / 1000)
    date = new Date(atMs).toISOString().replace(/\.\d+|[-:]/g, '')
  }

  function setKey(today: string, credentials: Credentials): void {
    const { accessKeyId, secretAccessKey, sessionToken } = credentials
    if (!isHeader(accessKeyId) || !isHeader(sessionToken ?? '')) throw new TypeError('These are no credentials.')
    scope = today
    signer = { ...credentials }
    signed = hmacBy(scope.split('/').reduce(hmac, Buffer.from(`AWS4${secretAccessKey}`))).hex
    names = `content-type;host;x-amz-date;${sessionToken === undefined ? '' : 'x-amz-security-token;'}x-amz-target`
    token = sessionToken === undefined ? '' : `\nx-amz-security-token:${sessionToken}`
    authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=`
  }

  return ({ target, body, credentials, atMs }) => {
    if (Math.floor(atMs / 1000) !== second) setSecond(atMs)
    const today = `${date.slice(0, 8)}/${region}/dynamodb/aws4_request`
    if (today !== scope || !isSame(credentials, signer)) setKey(today, credentials)
    const request = `${fixed}${date}${token}\nx-amz-target:${target}\n\n${names}\n${hash('sha256', body)}`
    const toSign = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash('sha256', request)}`
    const headers: Record<string, string> = {
      'content-type': contentType,
      'x-amz-date': date,
      'x-amz-target': target,
      authorization: authorization + signed(toSign),
    }
    if (signer.sessionToken !== undefined) headers['x-amz-security-token'] = signer.sessionToken
    return headers
  }
}

const isSame = (one: Credentials, other: Credentials): boolean =>
  one.secretAccessKey === other.secretAccessKey &&
  one.accessKeyId === other.accessKeyId &&
  one.sessionToken === other.sessionToken

const isHeader = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/** The path is encoded once more than it is sent: that is the rule for all services but S3. */
const canonicalPath = (path: string): string =>
  path
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/')
