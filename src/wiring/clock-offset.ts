import type { Logger } from 'pino'
import type { Clock } from '../ports/clock.ts'

/** Tokens are accepted as much too late, and messages bear times as wrong. */
const tooMuchMs = 3000

/** How far the clock of this node is ahead of Redis's, by which all nodes can be compared. */
export function createClockOffset(clock: Clock, logger: Logger) {
  let offsetMs = 0
  let isOff = false

  return {
    offsetMs: () => offsetMs,
    /** `ask` asks Redis for its time. */
    async compare(ask: () => Promise<number>): Promise<void> {
      const [askedAtMs, beganAtMs] = [clock.now(), clock.monotonic()]
      const redisMs = await ask()
      const halfMs = (clock.monotonic() - beganAtMs) / 2
      const foundMs = askedAtMs + halfMs - redisMs
      // Redis has looked at some time in between: only what is beyond that is certain.
      offsetMs = Math.sign(foundMs) * Math.max(0, Math.abs(foundMs) - halfMs)
      const wasOff = isOff
      isOff = Math.abs(offsetMs) > tooMuchMs
      if (isOff && !wasOff) logger.warn({ offsetMs: Math.round(offsetMs) }, 'the clock of this node is off')
      else if (wasOff && !isOff) logger.info('the clock of this node is right again')
    },
  }
}
