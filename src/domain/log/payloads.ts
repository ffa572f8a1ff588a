import { hash } from 'node:crypto'
import type { Claim, LogRow } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'

// Makes the hash by which a claim knows its content. It tells a retry from other content under the same id, for ever, and reveals nothing to a
// person who reads the tables. The plain hash of a short text can be guessed, long after its message was deleted; so it is an HMAC with a
// secret of the nodes.
//
//   k:<id of the key>:<HMAC>   made with that key. The HMAC may be cut to its first 22 characters, which are 132 bits
//   anything else              the plain SHA-256 of earlier releases, and of nodes without a key
//
// Claims live long, but secrets are changed. A hash made with another key cannot be compared; then the cell itself is compared.

/** `id` names the key and reveals nothing of it. */
export type PayloadKey = { id: string; mac: (text: string) => string }

export type Payload = {
  hash: string
  /** Returns whether the claim was made for this content. */
  isOf(claim: Claim): Promise<boolean>
}

export type Payloads = ReturnType<typeof createPayloads>

type Needs = Pick<Ports, 'messages'> & { payloadKey?: PayloadKey; shortHashes?: boolean }

const shortMacLength = 22

export function createPayloads({ messages, payloadKey: key, shortHashes = false }: Needs) {
  const shortLength = key && `k:${key.id}:`.length + shortMacLength

  /** `text` is the content. `isIn` says whether a row holds it, or did before the row was changed or deleted. */
  return function payloadOf(text: string, isIn: (row: LogRow) => boolean): Payload {
    const keyed = key && `k:${key.id}:${key.mac(text)}`
    return {
      hash: (shortHashes ? keyed?.slice(0, shortLength) : keyed) ?? plainHash(text),
      async isOf(claim) {
        const { payloadHash } = claim
        if (payloadHash === keyed || (keyed && payloadHash === keyed.slice(0, shortLength))) return true
        if (!payloadHash.startsWith('k:')) return payloadHash === plainHash(text)
        if (key && payloadHash.startsWith(`k:${key.id}:`)) return false
        const row = await messages.get(claim)
        // If nothing was stored for the claim so far, this content may be stored.
        return !row || !isClaims(row, claim) || isIn(row)
      },
    }
  }
}

const plainHash = (text: string): string => hash('sha256', text, 'base64url')

const isClaims = (row: LogRow, { senderId, clientMessageId }: Claim): boolean =>
  row.kind !== 'void' && row.senderId === senderId && row.clientMessageId === clientMessageId
