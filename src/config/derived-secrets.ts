// Secrets that a node derives from another secret by HKDF, so that neither tells anything about the other.

import { createECDH, hkdfSync } from 'node:crypto'
import type { VapidSettings } from './config.ts'

export const deriveCursorSecret = (secret: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'parley cursor', 32))

/** This secret signs the URLs of files that the node keeps itself. */
export const deriveMediaSecret = (secret: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'parley media', 32))

/** This key makes the hashes of what was sent. `id` tells which secret they were made with. */
export const derivePayloadKey = (secret: Uint8Array): { id: string; key: Uint8Array } => ({
  id: Buffer.from(hkdfSync('sha256', secret, '', 'parley payload key id', 6)).toString('base64url'),
  key: new Uint8Array(hkdfSync('sha256', secret, '', 'parley payload', 32)),
})

/** This secret signs what the operator's backend is asked before a message is stored. */
export const derivePreSendSecret = (secret: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'parley pre-send', 32))

/** Saves a developer from making a key pair. The pair stays the same for as long as the secret does. */
export function deriveVapid(secret: Uint8Array): VapidSettings {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(Buffer.from(hkdfSync('sha256', secret, '', 'parley vapid', 32)))
  const subject = 'mailto:nobody@parley.invalid'
  return { publicKey: pair.getPublicKey('base64url'), privateKey: pair.getPrivateKey('base64url'), subject }
}
