import { hash } from 'node:crypto'
import type { PreSend, PreSendObserver, Proposal, Verdict } from '../ports/pre-send.ts'
import { unavailable } from '../protocol/errors.ts'
import { inTime } from '../shared/in-time.ts'
import { createSigner } from '../shared/standard-webhooks.ts'
import { readAnswer } from './answer.ts'
import { NoDecision } from './no-decision.ts'
import { createPost } from './post.ts'

// Asks the operator's backend about a message by one signed POST. Only an answer with status 200 and a valid body is a decision; where there
// is none, the operator's setting decides.

/** Everything counts: the wait for a connection, the request, the answer. An operation has 2.5 s in all. */
const timeoutDefaultMs = 1500
const connectionsDefault = 128

export type PreSendOptions = {
  url: string
  /** What happens to a message about which the backend has not decided. */
  failure: 'allow' | 'deny'
  secrets: readonly Uint8Array[]
  clock: { now(): number; monotonic(): number }
  observer: PreSendObserver
  connections?: number
  timeoutMs?: number
}

export function createPreSend(options: PreSendOptions): PreSend & { close(): void } {
  const { url, failure, secrets, clock, observer } = options
  const { connections = connectionsDefault, timeoutMs = timeoutDefaultMs } = options
  const { post, close } = createPost(url, connections)
  const sign = createSigner(secrets)

  async function ask(proposal: Proposal): Promise<Verdict> {
    const startedAtMs = clock.monotonic()
    const tookMs = () => clock.monotonic() - startedAtMs
    try {
      const verdict = await askBackend(proposal)
      observer.decided(verdict.decision, tookMs())
      return verdict
    } catch (error) {
      if (!(error instanceof NoDecision)) throw error
      observer.failed(error.code, tookMs(), error.message)
      if (failure === 'allow') return { decision: 'allow' }
      throw unavailable(error)
    }
  }

  async function askBackend(proposal: Proposal): Promise<Verdict> {
    const body = JSON.stringify(shown(proposal))
    const headers = {
      ...sign(idOf(body), clock.now(), body),
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      accept: 'application/json',
      'user-agent': 'parley',
    }
    const answer = await inTime(timeoutMs, (signal) => post({ headers, body, signal }))
    return readAnswer(answer, proposal)
  }

  return { ask, close }
}

/** The same proposal has the same id, so that a backend may remember what it has said about it. */
const idOf = (body: string): string => `ask_${hash('sha256', body, 'base64url')}`

/** What the backend reads, in the words of the API. Where a file is stored is none of it. */
function shown(proposal: Proposal): object {
  if (proposal.type === 'edit') return proposal
  const { metadata, attachments, ...rest } = proposal
  return {
    ...rest,
    ...(metadata !== undefined && { metadata: JSON.parse(metadata) as object }),
    ...(attachments && { attachments: attachments.map(({ key: _key, ...file }) => file) }),
  }
}
