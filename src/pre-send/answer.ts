import type { Proposal, Verdict } from '../ports/pre-send.ts'
import { metadataText } from '../protocol/metadata.ts'
import { bodyProblem, toLine } from '../protocol/text.ts'
import { NoDecision } from './no-decision.ts'

/** Longer reasons are cut: a client shows them in a line. */
const reasonMaxCodePoints = 200
const reasonDefault = 'This message was refused.'

/** Reads what the backend answered with status 200. What it puts in place of the text has to be as valid as if the user had sent it. */
export function readAnswer(text: string, proposal: Proposal): Verdict {
  const { decision, reason, body, metadata } = objectIn(text)
  if (decision === 'allow') return { decision }
  if (decision === 'deny') return { decision, reason: reasonOf(reason) }
  if (decision !== 'replace') throw invalid('decision must be allow, deny or replace')
  if (body === undefined && metadata === undefined) throw invalid('replace needs a body or metadata')
  return { decision, body: bodyOf(body, proposal), ...metadataOf(metadata, proposal) }
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    throw invalid('not JSON')
  }
  throw invalid('not a JSON object')
}

function reasonOf(reason: unknown): string {
  if (reason == null) return reasonDefault
  if (typeof reason !== 'string') throw invalid('reason must be a string')
  const line = [...toLine(reason).trim()].slice(0, reasonMaxCodePoints).join('').trim()
  return line === '' ? reasonDefault : line
}

/** What the answer leaves out stays as the user wrote it. */
function bodyOf(body: unknown, proposal: Proposal): string {
  if (body === undefined) return proposal.body
  if (typeof body !== 'string') throw invalid('body must be a string')
  const mayBeEmpty = proposal.type === 'send' && proposal.attachments !== undefined
  if ((body !== '' || !mayBeEmpty) && bodyProblem(body) !== undefined) throw invalid('body breaks the rule for bodies')
  return body
}

/** null takes the metadata away. An edit has none. */
function metadataOf(given: unknown, proposal: Proposal): { metadata?: string } {
  if (proposal.type === 'edit') {
    if (given == null) return {}
    throw invalid('an edit has no metadata')
  }
  if (given === null) return {}
  if (given === undefined) return proposal.metadata === undefined ? {} : { metadata: proposal.metadata }
  const metadata = metadataText(given)
  if ('problem' in metadata) throw invalid('metadata breaks the rule for metadata')
  return { metadata: metadata.text }
}

const invalid = (what: string): NoDecision => new NoDecision('invalid', what)
