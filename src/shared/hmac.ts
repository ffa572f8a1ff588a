import { createHmac, hash } from 'node:crypto'

export const hmac = (key: Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const blockBytes = 64
const digestBytes = 32
const shortMaxChars = 1000

type Hmac = {
  hex(text: string): string
  bytes(text: string): Buffer
}

/** Makes HMAC-SHA256 of many short texts under one key. The two plain hashes of RFC 2104 take less than half the time of an Hmac object. */
export function hmacBy(key: Uint8Array): Hmac {
  const inner = Buffer.alloc(blockBytes + 3 * shortMaxChars, 0x36)
  const outer = Buffer.alloc(blockBytes + digestBytes, 0x5c)
  const short = key.length > blockBytes ? hash('sha256', key, 'buffer') : key
  for (const [i, byte] of short.entries()) {
    inner[i] = 0x36 ^ byte
    outer[i] = 0x5c ^ byte
  }

  function prepare(text: string): void {
    const length = inner.write(text, blockBytes)
    outer.write(hash('sha256', inner.subarray(0, blockBytes + length), 'binary'), blockBytes, 'latin1')
  }

  return {
    hex(text) {
      if (text.length > shortMaxChars) return hmac(key, text).toString('hex')
      prepare(text)
      return hash('sha256', outer)
    },
    bytes(text) {
      if (text.length > shortMaxChars) return hmac(key, text)
      prepare(text)
      return hash('sha256', outer, 'buffer')
    },
  }
}
