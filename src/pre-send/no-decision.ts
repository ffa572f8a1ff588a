import type { NoDecisionReason } from '../ports/pre-send.ts'

/** The backend has not decided. The message is for the log and quotes nothing of what was sent or answered. */
export class NoDecision extends Error {
  readonly code: NoDecisionReason

  constructor(code: NoDecisionReason, message: string) {
    super(message)
    this.name = 'NoDecision'
    this.code = code
  }
}
