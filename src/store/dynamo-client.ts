import { env } from 'node:process'
import { ConditionalCheckFailedException, type ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { unavailable } from '../protocol/errors.ts'
import { createGate } from '../protocol/gate.ts'

// The one way to DynamoDB. Every call has a deadline, is measured, and fails in one of three ways:
//   a condition that did not hold   ConditionalCheckFailedException, as it is (see `isRefused`)
//   a request DynamoDB rejects      ValidationException, as it is: a bug of ours
//   anything else                   ChatError('UNAVAILABLE'); the write may still have happened, or happen yet
// The SDK tries twice, so a write whose answer got lost may find itself already done: to us that is a condition refused.

export type DynamoOptions = {
  /** Undefined is the AWS service itself. */
  endpoint?: string
  region: string
  /** For one of the two attempts. A call as a whole fails a little after twice that. */
  requestTimeoutMs: number
  /** Undefined is the SDK's own chain on AWS, and a dummy for an endpoint. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }
  onCall?: (call: DynamoCall) => void
}

/** One answered call, for metrics and cost. `table` is without prefix. */
export type DynamoCall = { operation: string; table: string; capacityUnits: number; retries?: number }

export type DynamoClient = ReturnType<typeof createDynamoClient>

const attempts = 2
const backoffMaxMs = 200
const refusedCapacityUnits = 1

// Only with a timeout of its own does Node's agent heed the one a server announces for idle sockets. Else a burst after a
// pause writes to sockets that are just being closed, more of them than the SDK's retry quota covers.
const agentOptions = { keepAlive: true, maxSockets: 256, timeout: 20_000 }

/**
 * When a node dies, all its readers come to the others at once. In a line of ours they are served one after the other; all
 * under way at once would time out together, come again, and never be served.
 */
const callsAtATime = 128
const callsWaitingMax = 20_000

export function createDynamoClient(options: DynamoOptions) {
  const { endpoint, region, requestTimeoutMs, onCall } = options
  const credentials = options.credentials ?? (endpoint ? { accessKeyId: 'none', secretAccessKey: 'none' } : undefined)

  // Written, not read: the SDK's only switch for its warning that it will drop this Node version one day.
  env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'
  const client = new DynamoDBClient({
    region,
    ...(endpoint && { endpoint }),
    ...(credentials && { credentials }),
    maxAttempts: attempts,
    retryMode: 'standard',
    requestHandler: {
      throwOnRequestTimeout: true,
      httpAgent: agentOptions,
      httpsAgent: agentOptions,
    },
  })
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })

  const gate = createGate({ atATime: callsAtATime, lineMax: callsWaitingMax })

  const call = <A extends Answer>(
    operation: string,
    table: string,
    send: Send<A>,
    attemptTimeoutMs = requestTimeoutMs,
  ): Promise<A> => gate(() => callNow(operation, table, send, attemptTimeoutMs))

  async function callNow<A extends Answer>(
    operation: string,
    table: string,
    send: Send<A>,
    attemptTimeoutMs: number,
  ): Promise<A> {
    // An attempt's timeout ends with the first byte of the answer; the signal also covers the rest, and the backoff.
    const abortSignal = AbortSignal.timeout(attempts * attemptTimeoutMs + backoffMaxMs)
    try {
      const answer = await send(documents, { requestTimeout: attemptTimeoutMs, abortSignal })
      onCall?.({ operation, table, capacityUnits: unitsOf(answer), ...retriesOf(answer) })
      return answer
    } catch (error) {
      if (isRefused(error)) {
        onCall?.({ operation, table, capacityUnits: refusedCapacityUnits, ...retriesOf(error) })
        throw error
      }
      throw isOurBug(error) ? error : unavailable(error)
    }
  }

  return { call, close: () => client.destroy() }
}

export const isRefused = (error: unknown): error is ConditionalCheckFailedException =>
  error instanceof ConditionalCheckFailedException

type Metadata = { attempts?: number }
type Answer = { $metadata: Metadata; ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] | undefined }
type SendOptions = { requestTimeout: number; abortSignal: AbortSignal }
type Send<A extends Answer> = (documents: DynamoDBDocumentClient, options: SendOptions) => Promise<A>

const isOurBug = (error: unknown): boolean => error instanceof Error && error.name === 'ValidationException'

const unitsOf = ({ ConsumedCapacity: consumed = [] }: Answer): number =>
  [consumed].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)

const retriesOf = ({ $metadata }: { $metadata: Metadata }): { retries?: number } =>
  $metadata.attempts === undefined ? {} : { retries: $metadata.attempts - 1 }
