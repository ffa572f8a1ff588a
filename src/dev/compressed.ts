import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Brotli's best quality would take twenty seconds for GraphiQL; this one takes as long as gzip and yields less. */
const brotliQuality = 5

type Encoding = 'br' | 'gzip'
type Bytes = { encoding: Encoding | undefined; bytes: Buffer }
export type Compressed = (acceptEncoding: string | undefined) => Promise<Bytes>

/** A text or a file in the encodings that clients accept. Each is computed when it is first asked for, and kept. */
export function createCompressed(content: string | Buffer): Compressed {
  const plain = Buffer.from(content)
  const kept = new Map<Encoding, Promise<Buffer>>()
  return async (acceptEncoding) => {
    const encoding = preferredEncoding(acceptEncoding)
    if (!encoding) return { encoding, bytes: plain }
    const bytes = kept.get(encoding) ?? encode[encoding](plain)
    kept.set(encoding, bytes)
    return { encoding, bytes: await bytes }
  }
}

export function sendCompressed(response: ServerResponse, { encoding, bytes }: Bytes, headers: object): void {
  if (response.headersSent || response.destroyed) return
  response
    .writeHead(200, {
      ...headers,
      vary: 'accept-encoding',
      'content-length': bytes.length,
      ...(encoding && { 'content-encoding': encoding }),
    })
    .end(bytes)
}

const encode: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: (bytes) => promisify(gzip)(bytes),
}

function preferredEncoding(accepted = ''): Encoding | undefined {
  const names = accepted
    .toLowerCase()
    .split(',')
    .map((each) => each.trim().split(/\s*;\s*q=/))
    .flatMap(([name, weight]) => (Number(weight ?? 1) > 0 ? [name] : []))
  return (['br', 'gzip'] as const).find((encoding) => names.includes(encoding))
}
