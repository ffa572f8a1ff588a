import { createHmac } from 'node:crypto'

// The headers of Standard Webhooks: a backend checks them with one of that project's libraries, in its own language.

export type Signed = { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string }

/** Makes the headers for a body. All secrets sign, so that a backend may go from one to the next at any time. */
export const createSigner =
  (secrets: readonly Uint8Array[]) =>
  (id: string, nowMs: number, body: string): Signed => {
    const seconds = Math.floor(nowMs / 1000)
    const content = `${id}.${seconds}.${body}`
    const signatures = secrets.map((secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`)
    return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') }
  }
