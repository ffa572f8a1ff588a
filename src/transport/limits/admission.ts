// How many operations a user may start. The buckets are shared by all nodes, but nearly no operation asks for them: a node draws
// tokens by the batch, ahead of need, and lets the first few of a user go on credit while the first draw is under way. What
// it got but did not use within a few seconds is forgotten. So a user may overdraw by a batch per node, and has it taken off what
// is drawn next; never more.

import type { Clock } from '../../ports/clock.ts'
import type { Rate, RateLimits } from '../../ports/rate-limits.ts'
import { ChatError } from '../../protocol/errors.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import { isLoopback } from '../http/client-address.ts'
import { within } from './deadline.ts'

export type Admission = {
  /**
   * Counts one operation, or what it costs beyond that: of the user, or of the address where there is none. Returns nothing if it may
   * go on at once; otherwise the promise rejects with RATE_LIMITED, unless there turns out to be room.
   */
  admit(viewer: Viewer | undefined, address: string, cost?: number): Promise<void> | undefined
}

type AdmissionOptions = {
  /** Undefined: everything is admitted. */
  rate: Rate | undefined
  /** Whether users on the node's own machine are not counted. Nobody there who is anonymous is. */
  sparesLoopback: boolean
  rateLimits: RateLimits
  /** Used while `rateLimits` does not answer. */
  localRateLimits: RateLimits
  clock: Clock
  refused: () => void
}

type Purse = {
  /** Negative: gone on credit. */
  tokens: number
  /** Its first draw has not come back. */
  isNew: boolean
  /** There is nothing to be had before. */
  emptyUntilMs: number
  drawing: Promise<void> | undefined
}

const keepMs = 5000
const batchesPerBurst = 20
const batchMax = 100
const drawWithinMs = 1000
/** How long the shared buckets are not asked after they gave no answer. */
const leaveAloneMs = 2000

export function createAdmission({ rate, sparesLoopback, ...options }: AdmissionOptions): Admission {
  if (rate === undefined) return { admit: () => undefined }
  const { clock, refused } = options
  const batch = Math.max(1, Math.min(batchMax, Math.floor(rate.burst / batchesPerBurst)))
  const draw = createDraw(rate, options)
  const purseOf = createPurses(clock)

  function refill(name: string, purse: Purse, cost = 0): Promise<void> {
    const taken = draw(name, batch + cost - purse.tokens).then(({ tokens, retryAfterMs }) => {
      purse.drawing = undefined
      purse.isNew = false
      purse.tokens += tokens
      if (tokens === 0) purse.emptyUntilMs = clock.monotonic() + retryAfterMs
    })
    purse.drawing = taken
    return taken
  }

  async function wait(name: string, purse: Purse, cost: number, perSecond: number): Promise<void> {
    // Whoever waits with many others may find that they were faster.
    while (purse.tokens < cost) {
      if (clock.monotonic() < purse.emptyUntilMs) {
        const enoughInMs = Math.ceil(((cost - purse.tokens - 1) * 1000) / perSecond)
        throw refusal(purse.emptyUntilMs - clock.monotonic() + enoughInMs)
      }
      await (purse.drawing ?? refill(name, purse, cost))
    }
    purse.tokens -= cost
  }

  function refusal(retryAfterMs: number): ChatError {
    refused()
    return new ChatError('RATE_LIMITED', `At most ${rate?.perSecond} operations a second; slow down.`, { retryAfterMs })
  }

  return {
    admit(viewer, address, given = 1) {
      if (isLoopback(address) && (!viewer || sparesLoopback)) return undefined
      const name = viewer ? `user:${viewer.userId}` : `address:${address}`
      const purse = purseOf(name)
      const credit = purse.isNew ? batch : 0
      // What costs more than a full bucket holds takes all that its first token has left there.
      const cost = given === 1 ? 1 : Math.min(given, rate.burst - 1)
      if (purse.tokens + credit < cost) return wait(name, purse, cost, rate.perSecond)
      purse.tokens -= cost
      const isLow = purse.tokens <= batch / 4 && purse.drawing === undefined
      if (isLow && clock.monotonic() >= purse.emptyUntilMs) void refill(name, purse)
      return undefined
    },
  }
}

function createDraw(
  rate: Rate,
  { rateLimits, localRateLimits, clock }: Pick<AdmissionOptions, 'rateLimits' | 'localRateLimits' | 'clock'>,
) {
  let leftAloneUntilMs = 0
  return async (name: string, wanted: number) => {
    if (clock.monotonic() < leftAloneUntilMs) return localRateLimits.draw(name, wanted, rate)
    try {
      return await within(clock, drawWithinMs, rateLimits.draw(name, wanted, rate))
    } catch {
      // The operation itself will say UNAVAILABLE, if it needs what is away.
      leftAloneUntilMs = clock.monotonic() + leaveAloneMs
      return localRateLimits.draw(name, wanted, rate)
    }
  }
}

/** Forgets those that were not used for `keepMs`, or at most twice that, without ever looking for them. */
function createPurses(clock: Pick<Clock, 'monotonic'>) {
  let young = new Map<string, Purse>()
  let old = new Map<string, Purse>()
  let turnAtMs = clock.monotonic() + keepMs
  return (name: string): Purse => {
    if (clock.monotonic() >= turnAtMs) {
      old = clock.monotonic() >= turnAtMs + keepMs ? new Map() : young
      young = new Map()
      turnAtMs = clock.monotonic() + keepMs
    }
    const kept = young.get(name)
    if (kept) return kept
    const purse = old.get(name) ?? { tokens: 0, isNew: true, emptyUntilMs: 0, drawing: undefined }
    young.set(name, purse)
    return purse
  }
}
