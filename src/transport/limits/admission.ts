// Limits how many operations a user may start. The buckets are shared by all nodes, but few operations ask for them: a node draws tokens by
// the batch, ahead of need, into a local bucket, and lets the first few operations of a user go on credit while the first draw is under
// way. It forgets the tokens that it does not use within a few seconds. So a user may overdraw by one batch per node, which is taken off
// what is drawn next; a user can never overdraw by more.

import type { Clock } from '../../ports/clock.ts'
import type { Rate, RateLimits } from '../../ports/rate-limits.ts'
import { ChatError } from '../../protocol/errors.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import { isLoopback } from '../http/client-address.ts'
import { within } from './deadline.ts'

export type Admission = {
  /**
   * Counts one operation, or `cost` of them, for the user, or for the address where there is no user. Returns undefined if the operation
   * may go on at once. Otherwise it returns a promise, which rejects with RATE_LIMITED unless there turns out to be room.
   */
  admit(viewer: Viewer | undefined, address: string, cost?: number): Promise<void> | undefined
}

type AdmissionOptions = {
  /** Undefined means that everything is admitted. */
  rate: Rate | undefined
  /** Whether users on the node's own machine are not counted. Anonymous clients there are never counted. */
  sparesLoopback: boolean
  rateLimits: RateLimits
  /** Used while `rateLimits` does not answer. */
  localRateLimits: RateLimits
  clock: Clock
  refused: () => void
}

/** The tokens that this node has drawn ahead for one user or address. */
type LocalBucket = {
  /** Negative while more were spent on credit than have been drawn. */
  tokens: number
  /** Whether its first draw has not come back yet. */
  isNew: boolean
  /** The shared bucket has no tokens before this time. */
  emptyUntilMs: number
  drawing: Promise<void> | undefined
}

const keepMs = 5000
const batchesPerBurst = 20
const batchMax = 100
const drawWithinMs = 1000
/** The shared buckets are not asked for this long after they gave no answer. */
const leaveAloneMs = 2000

export const unlimitedAdmission: Admission = { admit: () => undefined }

export function createAdmission({ rate, sparesLoopback, ...options }: AdmissionOptions): Admission {
  if (rate === undefined) return unlimitedAdmission
  const { clock, refused } = options
  const batch = Math.max(1, Math.min(batchMax, Math.floor(rate.burst / batchesPerBurst)))
  const draw = createDraw(rate, options)
  const bucketOf = createLocalBuckets(clock)

  function refill(name: string, bucket: LocalBucket, cost = 0): Promise<void> {
    const taken = draw(name, batch + cost - bucket.tokens).then(({ tokens, retryAfterMs }) => {
      bucket.drawing = undefined
      bucket.isNew = false
      bucket.tokens += tokens
      if (tokens === 0) bucket.emptyUntilMs = clock.monotonic() + retryAfterMs
    })
    bucket.drawing = taken
    return taken
  }

  async function wait(name: string, bucket: LocalBucket, cost: number, perSecond: number): Promise<void> {
    // Several operations may wait for the same draw, and the others may have spent it first.
    while (bucket.tokens < cost) {
      if (clock.monotonic() < bucket.emptyUntilMs) {
        const enoughInMs = Math.ceil(((cost - bucket.tokens - 1) * 1000) / perSecond)
        throw refusal(bucket.emptyUntilMs - clock.monotonic() + enoughInMs)
      }
      await (bucket.drawing ?? refill(name, bucket, cost))
    }
    bucket.tokens -= cost
  }

  function refusal(retryAfterMs: number): ChatError {
    refused()
    return new ChatError('RATE_LIMITED', `At most ${rate?.perSecond} operations a second; slow down.`, { retryAfterMs })
  }

  return {
    admit(viewer, address, given = 1) {
      if (isLoopback(address) && (!viewer || sparesLoopback)) return undefined
      const name = viewer ? `user:${viewer.userId}` : `address:${address}`
      const bucket = bucketOf(name)
      const credit = bucket.isNew ? batch : 0
      // An operation that costs more than a full bucket holds takes all that its first token has left there.
      const cost = given === 1 ? 1 : Math.min(given, rate.burst - 1)
      if (bucket.tokens + credit < cost) return wait(name, bucket, cost, rate.perSecond)
      bucket.tokens -= cost
      const isLow = bucket.tokens <= batch / 4 && bucket.drawing === undefined
      if (isLow && clock.monotonic() >= bucket.emptyUntilMs) void refill(name, bucket)
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
      // The operation itself will say UNAVAILABLE if it needs the backend that is away.
      leftAloneUntilMs = clock.monotonic() + leaveAloneMs
      return localRateLimits.draw(name, wanted, rate)
    }
  }
}

/** Forgets buckets that were not used for `keepMs`, or at most twice that, without ever looking for them. */
function createLocalBuckets(clock: Pick<Clock, 'monotonic'>) {
  let young = new Map<string, LocalBucket>()
  let old = new Map<string, LocalBucket>()
  let turnAtMs = clock.monotonic() + keepMs
  return (name: string): LocalBucket => {
    if (clock.monotonic() >= turnAtMs) {
      old = clock.monotonic() >= turnAtMs + keepMs ? new Map() : young
      young = new Map()
      turnAtMs = clock.monotonic() + keepMs
    }
    const kept = young.get(name)
    if (kept) return kept
    const bucket = old.get(name) ?? { tokens: 0, isNew: true, emptyUntilMs: 0, drawing: undefined }
    young.set(name, bucket)
    return bucket
  }
}
