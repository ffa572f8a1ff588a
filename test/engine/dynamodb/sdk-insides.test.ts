import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { DynamoError } from '../../../src/engine/dynamodb/error.ts'
import { createRetryBudget } from '../../../src/engine/dynamodb/retry.ts'

// What src/engine/dynamodb repeats of the AWS SDK 3.1162.0. When a test here fails after an update: compare retry.ts, error.ts and
// endpoint-and-credentials.ts with the SDK's retry module (@smithy/core/retry) and its signing middleware, follow what has changed, and
// write the new version here. Until that is done, DYNAMODB_CLIENT=sdk serves without any of it.

const here = createRequire(import.meta.url)
const sdk = createRequire(here.resolve('@aws-sdk/client-dynamodb'))

test.each(['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'])('%s is the version that was read', (name) => {
  let folder = dirname(here.resolve(name))
  while (!folder.endsWith(name)) folder = dirname(folder)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  expect(version, 'the SDK was updated: see the top of this file').toBe('3.1162.0')
})

type Classify = (error: Error & { $metadata: { httpStatusCode?: number } }) => boolean
const { isThrottlingError, isTransientError, isClockSkewError } = sdk('@smithy/core/retry') as Record<string, Classify>

/** What DynamoDB and the services around it may answer, and some that are no reason to try again. */
const names = [
  ...['BandwidthLimitExceeded', 'LimitExceededException', 'PriorRequestNotComplete', 'RequestLimitExceeded'],
  ...['ProvisionedThroughputExceededException', 'RequestThrottled', 'RequestThrottledException', 'SlowDown'],
  ...['ThrottledException', 'Throttling', 'ThrottlingException', 'TooManyRequestsException'],
  ...['TransactionInProgressException', 'RequestTimeout', 'RequestTimeoutException', 'InternalServerError'],
  ...['ConditionalCheckFailedException', 'ValidationException', 'ResourceNotFoundException', 'AccessDeniedException'],
  ...['UnrecognizedClientException', 'ItemCollectionSizeLimitExceededException', 'TransactionCanceledException'],
]
const statuses = [200, 400, 403, 404, 413, 429, 500, 501, 502, 503, 504]

test.each(names)('%s is tried again when the SDK tries it again, and costs what the SDK pays', (name) => {
  for (const status of statuses) {
    const error = Object.assign(new Error(), { name, $metadata: { httpStatusCode: status } })
    const expected = isThrottlingError?.(error) ? 'throttled' : isTransientError?.(error) ? 'transient' : undefined
    const cost = createRetryBudget(() => 0).take(new DynamoError(name, '', { status }))?.cost
    expect(cost && (cost === 5 ? 'throttled' : 'transient'), `${name} ${status}`).toBe(expected)
  }
})

test('errors that a wrong clock explains are those that the SDK takes for such', () => {
  const clockErrors = [
    ...['AuthFailure', 'InvalidSignatureException', 'RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed'],
    'SignatureDoesNotMatch',
  ]
  for (const name of clockErrors)
    expect(isClockSkewError?.(Object.assign(new Error(), { name, $metadata: {} })), name).toBe(true)
})
