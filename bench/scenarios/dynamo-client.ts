import { createDynamoTable, type DynamoTable } from '../../src/store/dynamo/table.ts'
import { createTables } from '../../src/store/dynamo/table-setup.ts'
import { aConversation, aMessage } from '../../test/kit/ids.ts'
import { connectDynamo, startDynalite } from '../../test/kit/services/dynamodb.ts'
import { interleave, type Scenario } from '../bench.ts'
import { createSheet } from '../sheet.ts'

type Messages = DynamoTable<'messages'>
type Work = { what: string; times: number; once: (messages: Messages, n: number) => Promise<unknown> }

const rounds = 7
const atATime = 16
const pageSize = 20

/**
 * The CPU of this process per call to DynamoDB, by the lean client against the SDK's: the same calls of the same tables on one
 * server, which is a process of its own.
 */
export const dynamoClient: Scenario = async () => {
  const server = await startDynalite()
  const lean = connectDynamo(server.endpoint, { wire: 'lean' })
  const sdk = { ...lean, client: connectDynamo(server.endpoint, { wire: 'sdk' }).client }
  try {
    await createTables(lean)
    const [byLean, bySdk] = [createDynamoTable(lean, 'messages'), createDynamoTable(sdk, 'messages')]
    const conversation_id = aConversation()
    const page = { where: 'conversation_id = :c', values: { ':c': conversation_id }, limit: pageSize }
    const condition = { where: 'attribute_not_exists(conversation_id)' }
    for (let seq = 1; seq <= pageSize; seq += 1) await byLean.put({ ...aRow(), conversation_id, seq })
    const works: Work[] = [
      { what: 'a conditional put', times: 1000, once: (messages) => messages.put(aRow(), condition) },
      { what: 'a get', times: 1000, once: (messages) => messages.get({ conversation_id, seq: 7 }) },
      { what: `a query of ${pageSize}`, times: 400, once: (messages) => messages.query(page) },
    ]
    const sheet = createSheet()
    const ways = { lean: byLean, sdk: bySdk }
    for (const work of works) {
      for (const messages of Object.values(ways)) await cpuMsOf(work, messages)
      await interleave(rounds, Object.entries(ways), async ([who, messages]) => {
        sheet.add(`DynamoDB: ${work.what}`, who, 'CPU ms', await cpuMsOf(work, messages), 'sdk')
      })
    }
    return sheet.measured()
  } finally {
    await Promise.all([lean.client.close(), sdk.client.close()])
    await server.stop()
  }
}

function aRow() {
  const { conversationId, seq, messageId, clientMessageId, senderId } = aMessage(aConversation(), 1)
  const ids = { message_id: messageId, client_message_id: clientMessageId, sender_id: senderId }
  const sent_at = new Date(0).toISOString()
  return {
    conversation_id: conversationId,
    seq,
    kind: 'message',
    ...ids,
    body: 'Hello, how are you?',
    sent_at,
  } as const
}

/** Returns the CPU of one call, in user and system mode. */
async function cpuMsOf({ times, once }: Work, messages: Messages): Promise<number> {
  const before = process.cpuUsage()
  let done = 0
  const worker = async () => {
    for (; done < times; ) {
      done += 1
      await once(messages, done)
    }
  }
  await Promise.all(Array.from({ length: atATime }, worker))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / times
}
