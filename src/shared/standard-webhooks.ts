import { Webhook } from 'standardwebhooks'

// The headers of Standard Webhooks: a backend checks them with one of that project's libraries, in its own language. This node signs with
// the library too.

export type Signed = { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string }

const prefix = 'whsec_'

/** As the libraries of Standard Webhooks take it. */
export const secretText = (secret: Uint8Array): string => `${prefix}${Buffer.from(secret).toString('base64')}`

/** Makes the headers for a body. All secrets sign, so that a backend may go from one to the next at any time. Texts are those with the prefix. */
export function createSigner(secrets: readonly (Uint8Array | string)[]) {
  const signers = secrets.map((secret) =>
    typeof secret === 'string' ? new Webhook(secret) : new Webhook(secret, { format: 'raw' }),
  )
  return (id: string, nowMs: number, body: string): Signed => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    'webhook-signature': signers.map((signer) => signer.sign(id, new Date(nowMs), body)).join(' '),
  })
}
