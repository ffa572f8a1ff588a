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
// Claims live long, but secrets are changed. While the old secret is known too, a hash of its key is compared by that key. A hash of a key that
// is not known any more cannot be compared; then the cell itself is compared. Either way a retry is the retry of the same call: which cell it
// has does not depend on the hash.

/** `id` names the key and reveals nothing of it. */
export type PayloadKey = { id: string; mac: (text: string) => string }

export type Payload = {
  hash: string
  /** Returns whether the claim was made for this content. */
  isOf(claim: Claim): Promise<boolean>
}

export type Payloads = ReturnType<typeof createPayloads>

type Needs = Pick<Ports, 'messages'> & { payloadKeys?: readonly PayloadKey[]; shortHashes?: boolean }

const shortMacLength = 22

/** The first key makes the hashes; those of all others are compared. */
export function createPayloads({ messages, payloadKeys: keys = [], shortHashes = false }: Needs) {
  const [first] = keys

  /** `text` is the content. `isIn` says whether a row holds it, or did before the row was changed or deleted. */
  return function payloadOf(text: string, isIn: (row: LogRow) => boolean): Payload {
    const made = first ? keyedHash(first, text) : plainHash(text)
    return {
      hash: first && shortHashes ? shortened(first, made) : made,
      async isOf(claim) {
        const { payloadHash } = claim
        if (payloadHash === made) return true
        if (!payloadHash.startsWith('k:')) return payloadHash === plainHash(text)
        const key = keys.find(({ id }) => payloadHash.startsWith(`k:${id}:`))
        if (key) {
          const keyed = key === first ? made : keyedHash(key, text)
          return payloadHash === keyed || payloadHash === shortened(key, keyed)
        }
        const row = await messages.get(claim)
        // If nothing was stored for the claim so far, this content may be stored.
        return !row || !isClaims(row, claim) || isIn(row)
      },
    }
  }
}

const keyedHash = ({ id, mac }: PayloadKey, text: string): string => `k:${id}:${mac(text)}`

const shortened = ({ id }: PayloadKey, keyed: string): string => keyed.slice(0, `k:${id}:`.length + shortMacLength)

const plainHash = (text: string): string => hash('sha256', text, 'base64url')

const isClaims = (row: LogRow, { senderId, clientMessageId }: Claim): boolean =>
  row.kind !== 'void' && row.senderId === senderId && row.clientMessageId === clientMessageId
