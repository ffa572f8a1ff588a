import { directConversationId } from '../../src/domain/conversations/conversation-id.ts'
import type { ClientMessageId, MessageId, UserId } from '../../src/protocol/ids.ts'
import { createDynamoTable } from '../../src/store/dynamo/table.ts'
import { connectDynamo } from '../../test/kit/services/dynamodb.ts'
import type { Stores } from '../machine/stores.ts'
import { body } from './documents.ts'

// Rows as the server writes them, past the server: a hundred thousand sends would take minutes.

export type Seeds = ReturnType<typeof createSeeds>

const rowsAtATime = 500
const prefix = 'parley_'

export function createSeeds({ endpoint }: Pick<Stores, 'endpoint'>) {
  const dynamo = { ...connectDynamo(endpoint), tablePrefix: prefix }
  const messages = createDynamoTable(dynamo, 'messages')
  const conversations = createDynamoTable(dynamo, 'conversations')
  const memberships = createDynamoTable(dynamo, 'memberships')
  const boundaries = createDynamoTable(dynamo, 'message_status')

  return {
    /** A chat of the two with so many messages, all by the first and all read by the second. Returns its id. */
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
      // Last, as the server does it: where this is, the rest is too.
      await conversations.putMany([{ conversation_id, kind: 'DIRECT', members: [...members] }])
      return conversation_id
    },
    close: () => dynamo.client.close(),
  }
}
