import type { Logger } from 'pino'
import type { Clock } from '../../ports/clock.ts'
import type { TokenFault } from './refused-token.ts'

const everyMs = 60_000

/**
 * Logs why tokens are refused. Each reason is logged once a minute, with how many tokens were refused for it since the line before:
 * clients whose tokens expire would fill the log otherwise. There are as many reasons as there are sentences, so the map stays small.
 */
export function createRefusedTokensLog(logger: Logger, clock: Clock): (fault: TokenFault) => void {
  const byReason = new Map<string, { nextAtMs: number; count: number }>()
  return ({ claim, reason }) => {
    const known = byReason.get(reason) ?? { nextAtMs: Number.NEGATIVE_INFINITY, count: 0 }
    byReason.set(reason, known)
    known.count += 1
    const nowMs = clock.monotonic()
    if (nowMs < known.nextAtMs) return
    logger.warn({ claim, reason, count: known.count }, 'refused a token')
    known.nextAtMs = nowMs + everyMs
    known.count = 0
  }
}
