import type { Logger } from 'pino'
import type { Clock } from '../../ports/clock.ts'
import { createOnceAMinute } from '../../shared/once-a-minute.ts'
import type { TokenFault } from './refused-token.ts'

/** Logs why tokens are refused, and from where the last one came, once a minute for each reason: clients whose tokens expire would fill the log otherwise. */
export function createRefusedTokensLog(logger: Logger, clock: Clock): (fault: TokenFault, address?: string) => void {
  const onceAMinute = createOnceAMinute(clock)
  return ({ claim, reason }, address) =>
    onceAMinute(reason, (count) => logger.warn({ claim, reason, address, count }, 'refused a token'))
}
