import type { ConsumedCapacity, CreateTableCommandInput, TableDescription } from '@aws-sdk/client-dynamodb'
import type {
  BatchGetCommandInput,
  BatchWriteCommandInput,
  BatchWriteCommandOutput,
  DeleteCommandInput,
  GetCommandInput,
  PutCommandInput,
  QueryCommandInput,
  ScanCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb'
import type { Timers } from '../../shared/timers.ts'

// A wire sends a request to DynamoDB and receives its answer. There are two: `wire.lean.ts` and `wire.sdk.ts`.
// Rows are plain objects on this side of the wire, DynamoDB's own JSON on the other.

export type DynamoWire = {
  /** A call ends a little after its attempts have had their timeouts, one after the other. */
  send<O extends Operation>(operation: O, input: Input<O>, attemptTimeoutMs: number, caller: Caller<O>): void
  close(): Promise<void>
}

/**
 * The caller is the code that makes a call. It is called back once, when the call has ended, and never in the turn in which it made the call.
 * A promise in every layer would cost more than some of the layers.
 */
export type Caller<O extends Operation> = {
  answered(answer: Answer<O>): void
  /** It gets an error named as DynamoDB names it, or any error that happened on the way; `$metadata.attempts` says at which attempt. */
  failed(error: unknown): void
}

/** If `endpoint` is undefined, the AWS service itself is called. */
export type WireOptions = {
  endpoint?: string
  region: string
  credentials?: Credentials
  now: () => number
  random: () => number
  /** The lean client's deadlines use these timers. The default is those of the process. */
  timers?: Timers
}

export type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string }

/** Each call is tried once more after its first attempt. */
export const attemptsMax = 2
/** This much of the time of a call is for the pauses between attempts. */
export const backoffMaxMs = 200
export const socketsMax = 256
export const idleSocketMs = 20_000

/** These are for an endpoint that is not AWS: it wants requests to be signed, but accepts any key. */
export const localCredentials: Credentials = { accessKeyId: 'none', secretAccessKey: 'none' }

export type Row = Record<string, unknown>

type Operations = {
  GetItem: [GetCommandInput, { Item?: Row }]
  PutItem: [PutCommandInput, unknown]
  UpdateItem: [UpdateCommandInput, { Attributes?: Row }]
  DeleteItem: [DeleteCommandInput, unknown]
  Query: [QueryCommandInput, { Items?: Row[]; Count?: number; ScannedCount?: number; LastEvaluatedKey?: Row }]
  Scan: [ScanCommandInput, { Items?: Row[]; LastEvaluatedKey?: Row }]
  BatchGetItem: [
    BatchGetCommandInput,
    { Responses?: Record<string, Row[]>; UnprocessedKeys?: Record<string, { Keys?: Row[] }> },
  ]
  BatchWriteItem: [BatchWriteCommandInput, Pick<BatchWriteCommandOutput, 'UnprocessedItems'>]
  CreateTable: [CreateTableCommandInput, unknown]
  DescribeTable: [
    { TableName: string },
    { Table?: Pick<TableDescription, 'TableStatus' | 'KeySchema' | 'AttributeDefinitions'> },
  ]
}

export type Operation = keyof Operations
export type Input<O extends Operation> = Operations[O][0]
export type Answer<O extends Operation> = Operations[O][1] & AnswerCommon

type AnswerCommon = {
  $metadata: { attempts?: number }
  ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[]
}
