import type { WatchCall } from '../../shared/watch-call.ts'
import { DynamoUnavailableError } from './error.ts'
import { createLeanWire } from './wire.lean.ts'
import { createSdkWire } from './wire.sdk.ts'
import type { Answer, Caller, DynamoWire, Input, Operation, WireOptions } from './wire.ts'

// All calls to DynamoDB go through this client. Every call has a deadline, is measured, and fails in one of three ways:
//   a condition that did not hold   ConditionalCheckFailedException, as it is (see `isRefused`)
//   a request DynamoDB rejects      ValidationException, as it is: a bug of ours
//   anything else                   DynamoUnavailableError, or what `toError` makes; the write may still have happened, or happen yet
// A request is tried twice, so a write whose answer got lost may find itself already done: to us that is a condition refused.

export type DynamoOptions = WireOptions & {
  /** This wire sends the requests; the default is `lean`. */
  wire?: 'lean' | 'sdk'
  /** One of the two attempts may take this long. A call as a whole fails a little after twice that. */
  requestTimeoutMs: number
  onCall?: (call: DynamoCall) => void
  /** It is called for each call, from before the call waits for its turn. A condition that does not hold counts as an answer. */
  watch?: WatchCall
  /** Makes the error that callers get when DynamoDB did not answer. The default is a DynamoUnavailableError. */
  toError?: (cause: unknown) => Error
}

/** One answered call, for metrics and cost. `table` has no prefix. */
export type DynamoCall = { operation: string; table: string; capacityUnits: number; retries?: number }

export type DynamoClient = ReturnType<typeof createDynamoClient>

const refusedCapacityUnits = 1

/**
 * When a process dies, all its clients come to the others at once. In this queue their calls are served one after the other. If all were sent
 * at once, they would time out together, come again, and never be served.
 */
const callsAtATime = 128
const callsWaitingMax = 20_000

export function createDynamoClient(options: DynamoOptions) {
  const { requestTimeoutMs, onCall, watch, toError = defaultToError } = options
  const wire: DynamoWire = options.wire === 'sdk' ? createSdkWire(options) : createLeanWire(options)
  const queue: (() => void)[] = []
  let underWay = 0

  const call = <O extends Operation>(
    operation: O,
    table: string,
    input: Input<O>,
    attemptTimeoutMs = requestTimeoutMs,
  ): Promise<Answer<O>> =>
    new Promise((resolve, reject) => {
      const watched = watch?.(operation, table)
      const caller: Caller<O> = {
        answered(answer) {
          leave()
          onCall?.(callOf(operation, table, unitsOf(answer), answer))
          watched?.ended()
          resolve(answer)
        },
        failed(error) {
          leave()
          const thrown = isRefused(error) || hasName(error, 'ValidationException') ? error : toError(error)
          if (isRefused(error)) onCall?.(callOf(operation, table, refusedCapacityUnits, error))
          watched?.ended(isRefused(error) ? undefined : thrown)
          reject(thrown)
        },
      }
      if (underWay < callsAtATime) {
        underWay += 1
        wire.send(operation, input, attemptTimeoutMs, caller)
      } else if (queue.length < callsWaitingMax) {
        queue.push(() => wire.send(operation, input, attemptTimeoutMs, caller))
      } else {
        const turnedAway = toError(new Error('Too many are waiting already.'))
        watched?.ended(turnedAway)
        reject(turnedAway)
      }
    })

  /** The next call in the queue takes the place of the one that ended. */
  function leave(): void {
    const next = queue.shift()
    if (next) next()
    else underWay -= 1
  }

  return { call, close: wire.close }
}

const defaultToError = (cause: unknown): Error => new DynamoUnavailableError(cause)

export const isRefused = (error: unknown): error is Refusal => hasName(error, 'ConditionalCheckFailedException')

/** Returns whether a write failed because the item would be larger than items may be. */
export const isTooLarge = (error: unknown): boolean =>
  hasName(error, 'ValidationException') && error instanceof Error && /item size/i.test(error.message)

type Refusal = Error & Attempted
type Attempted = { $metadata?: { attempts?: number } }

const hasName = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

const unitsOf = ({ ConsumedCapacity: consumed }: Answer<Operation>): number =>
  Array.isArray(consumed)
    ? consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
    : (consumed?.CapacityUnits ?? 0)

function callOf(operation: string, table: string, capacityUnits: number, { $metadata }: Attempted): DynamoCall {
  const attempts = $metadata?.attempts
  if (attempts === undefined) return { operation, table, capacityUnits }
  return { operation, table, capacityUnits, retries: attempts - 1 }
}
