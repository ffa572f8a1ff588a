import { unavailable } from '../protocol/errors.ts'
import { createGate } from '../protocol/gate.ts'
import { createLeanWire } from './dynamo-wire.lean.ts'
import { createSdkWire } from './dynamo-wire.sdk.ts'
import type { Answer, DynamoWire, Input, Operation, WireOptions } from './dynamo-wire.ts'

// The one way to DynamoDB. Every call has a deadline, is measured, and fails in one of three ways:
//   a condition that did not hold   ConditionalCheckFailedException, as it is (see `isRefused`)
//   a request DynamoDB rejects      ValidationException, as it is: a bug of ours
//   anything else                   ChatError('UNAVAILABLE'); the write may still have happened, or happen yet
// A request is tried twice, so a write whose answer got lost may find itself already done: to us that is a condition refused.

export type DynamoOptions = WireOptions & {
  /** Which way requests take; `lean` unless told. */
  wire?: 'lean' | 'sdk'
  /** For one of the two attempts. A call as a whole fails a little after twice that. */
  requestTimeoutMs: number
  onCall?: (call: DynamoCall) => void
}

/** One answered call, for metrics and cost. `table` is without prefix. */
export type DynamoCall = { operation: string; table: string; capacityUnits: number; retries?: number }

export type DynamoClient = ReturnType<typeof createDynamoClient>

const refusedCapacityUnits = 1

/**
 * When a node dies, all its readers come to the others at once. In a line of ours they are served one after the other; all
 * under way at once would time out together, come again, and never be served.
 */
const callsAtATime = 128
const callsWaitingMax = 20_000

export function createDynamoClient(options: DynamoOptions) {
  const { requestTimeoutMs, onCall } = options
  const wire: DynamoWire = options.wire === 'sdk' ? createSdkWire(options) : createLeanWire(options)
  const gate = createGate({ atATime: callsAtATime, lineMax: callsWaitingMax })

  const call = <O extends Operation>(
    operation: O,
    table: string,
    input: Input<O>,
    attemptTimeoutMs = requestTimeoutMs,
  ): Promise<Answer<O>> => gate(() => callNow(operation, table, input, attemptTimeoutMs))

  async function callNow<O extends Operation>(
    operation: O,
    table: string,
    input: Input<O>,
    attemptTimeoutMs: number,
  ): Promise<Answer<O>> {
    try {
      const answer = await wire.send(operation, input, attemptTimeoutMs)
      onCall?.({ operation, table, capacityUnits: unitsOf(answer), ...retriesOf(answer) })
      return answer
    } catch (error) {
      if (isRefused(error)) {
        onCall?.({ operation, table, capacityUnits: refusedCapacityUnits, ...retriesOf(error) })
        throw error
      }
      throw hasName(error, 'ValidationException') ? error : unavailable(error)
    }
  }

  return { call, close: wire.close }
}

export const isRefused = (error: unknown): error is Refusal => hasName(error, 'ConditionalCheckFailedException')

type Refusal = Error & { $metadata?: { attempts?: number } }

const hasName = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

const unitsOf = ({ ConsumedCapacity: consumed = [] }: Answer<Operation>): number =>
  Array.isArray(consumed)
    ? consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
    : (consumed.CapacityUnits ?? 0)

const retriesOf = ({ $metadata }: { $metadata?: { attempts?: number } }): { retries?: number } =>
  $metadata?.attempts === undefined ? {} : { retries: $metadata.attempts - 1 }
