import { join } from 'node:path'
import { directConversationId } from '../../src/domain/conversations/conversation-id.ts'
import { openKeyValueLmdb } from '../../src/engine/key-value/key-value.lmdb.ts'
import type { ClientMessageId, MessageId, UserId } from '../../src/protocol/ids.ts'
import { createDynamoTable } from '../../src/store/dynamo/table.ts'
import { createEmbeddedTable } from '../../src/store/embedded/table.ts'
import type { Item, Key, TableName } from '../../src/store/rows/tables.ts'
import { connectDynamo } from '../../test/kit/services/dynamodb.ts'
import type { Stores } from '../machine/stores.ts'
import { messageOf } from '../peers/schema.ts'
import { body } from './documents.ts'

// Rows as the server writes them, past the server: a hundred thousand sends would take minutes.

export type Seeds = ReturnType<typeof createSeeds>

const rowsAtATime = 500
const prefix = 'parley_'

/** Seeds DynamoDB. */
export function createSeeds({ endpoint }: Pick<Stores, 'endpoint'>) {
  const dynamo = { ...connectDynamo(endpoint), tablePrefix: prefix }
  const seeder = createSeeder((name) => createDynamoTable(dynamo, name))
  return { ...seeder, close: () => dynamo.client.close() }
}

/** Seeds the data directory of a server that does not run yet. */
export async function createEmbeddedSeeds(dataDir: string) {
  const engine = await openKeyValueLmdb({ directory: join(dataDir, 'store') })
  const seeder = createSeeder((name) => {
    const table = createEmbeddedTable(engine, name)
    return { putMany: async (rows) => void (await Promise.all(rows.map((row) => table.update(row, () => row)))) }
  })
  return { ...seeder, close: () => engine.close() }
}

type Rows<Name extends TableName> = readonly (Key<Name> & Partial<Item<Name>>)[]
type Seeded = <Name extends TableName>(name: Name) => { putMany(rows: Rows<Name>): Promise<unknown> }

function createSeeder(table: Seeded) {
  const messages = table('messages')
  const conversations = table('conversations')
  const memberships = table('memberships')
  const boundaries = table('message_status')

  return {
    /** Makes a chat of the two with so many messages, all by the first and all read by the second. Returns its id. */
    async chat(one: string, other: string, count: number): Promise<string> {
      const members = [one as UserId, other as UserId] as const
      const conversation_id = directConversationId(...members)
      const place = members.map((user_id) => ({ user_id, conversation_id }))
      await memberships.putMany(place.map((key) => ({ ...key, joined_seq: 0 })))
      await boundaries.putMany(place.map((key) => ({ ...key, last_delivered_seq: count, last_read_seq: count })))
      const beganAtMs = Date.now() - count
      for (let done = 0; done < count; done += rowsAtATime) {
        const seqs = Array.from({ length: Math.min(rowsAtATime, count - done) }, (_, i) => done + i + 1)
        await messages.putMany(
          seqs.map((seq) => ({
            conversation_id,
            seq,
            kind: 'message' as const,
            message_id: String(7_000_000_000_000_000_000n + BigInt(seq)) as MessageId,
            client_message_id: `seed-${seq}` as ClientMessageId,
            sender_id: members[0],
            sent_at: new Date(beganAtMs + seq).toISOString(),
            body,
          })),
        )
      }
      // This row comes last, as the server does it: if it is there, the rest is too.
      await conversations.putMany([{ conversation_id, kind: 'DIRECT', members: [...members] }])
      return conversation_id
    },
  }
}

/** Seeds Redis Streams as peers/redis-streams.ts keeps them. */
export async function seedStreams(
  redis: Stores['redis'],
  prefix: string,
  conversationIds: readonly string[],
  count: number,
): Promise<void> {
  for (const conversationId of conversationIds) {
    const together = redis.pipeline()
    for (let seq = 1; seq <= count; seq += 1) {
      const message = JSON.stringify(messageOf(conversationId, seq, 'somebody', body))
      together.xadd(`${prefix}:log:${conversationId}`, '*', 'message', message)
    }
    await together.exec()
  }
}
