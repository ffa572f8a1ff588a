import { env } from 'node:process'
import type { GetCommand } from '@aws-sdk/lib-dynamodb'
import type { Answer, DynamoWire, Input, Operation, WireOptions } from './wire.ts'
import { attemptsMax, backoffMaxMs, idleSocketMs, localCredentials, socketsMax } from './wire.ts'

// Node's agent heeds the timeout that a server announces for idle sockets only if it has a timeout of its own. Otherwise a burst after a
// pause writes to sockets that are just being closed, more of them than the SDK's retry quota covers.
const agentOptions = { keepAlive: true, maxSockets: socketsMax, timeout: idleSocketMs }

/** Sends requests by the AWS SDK, which takes several times the CPU. */
export function createSdkWire(options: WireOptions): DynamoWire {
  let opened: ReturnType<typeof open> | undefined

  async function answer<O extends Operation>(
    operation: O,
    input: Input<O>,
    attemptTimeoutMs: number,
  ): Promise<Answer<O>> {
    opened ??= open(options)
    const { commands, documents } = await opened
    // An attempt's timeout ends with the first byte of the answer; the signal also covers the rest, and the backoff.
    const abortSignal = AbortSignal.timeout(attemptsMax * attemptTimeoutMs + backoffMaxMs)
    const Command = commands[operation] as new (input: Input<O>) => GetCommand
    return (await documents.send(new Command(input), { requestTimeout: attemptTimeoutMs, abortSignal })) as Answer<O>
  }

  async function close(): Promise<void> {
    if (opened) (await opened).client.destroy()
  }

  return {
    send: (operation, input, attemptTimeoutMs, caller) =>
      void answer(operation, input, attemptTimeoutMs).then(
        (answered) => caller.answered(answered),
        (error) => caller.failed(error),
      ),
    close,
  }
}

async function open(options: WireOptions) {
  const { endpoint, region, credentials = endpoint === undefined ? undefined : localCredentials } = options
  // This is written, not read: the SDK has no other switch for its warning that it will drop this version of Node. It can go with Node 20.
  env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'
  const [sdk, lib] = await Promise.all([import('@aws-sdk/client-dynamodb'), import('@aws-sdk/lib-dynamodb')])
  const client = new sdk.DynamoDBClient({
    region,
    ...(endpoint && { endpoint }),
    ...(credentials && { credentials }),
    maxAttempts: attemptsMax,
    retryMode: 'standard',
    requestHandler: {
      throwOnRequestTimeout: true,
      httpAgent: agentOptions,
      httpsAgent: agentOptions,
    },
  })
  const documents = lib.DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
  const commands = {
    GetItem: lib.GetCommand,
    PutItem: lib.PutCommand,
    UpdateItem: lib.UpdateCommand,
    DeleteItem: lib.DeleteCommand,
    Query: lib.QueryCommand,
    Scan: lib.ScanCommand,
    BatchGetItem: lib.BatchGetCommand,
    BatchWriteItem: lib.BatchWriteCommand,
    CreateTable: sdk.CreateTableCommand,
    DescribeTable: sdk.DescribeTableCommand,
  } satisfies Record<Operation, unknown>
  return { client, documents, commands }
}
