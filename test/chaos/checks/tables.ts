import type { Conversation } from '../../../src/ports/conversations.ts'
import type { LogRow } from '../../../src/ports/log.ts'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { createBoundariesDynamo } from '../../../src/store/dynamo/boundaries.ts'
import { createConversationsDynamo } from '../../../src/store/dynamo/conversations.ts'
import { createMembershipsDynamo } from '../../../src/store/dynamo/memberships.ts'
import { createMessagesDynamo } from '../../../src/store/dynamo/messages.ts'
import { createPendingDynamo } from '../../../src/store/dynamo/pending.ts'
import type { Dynamo } from '../../../src/store/rows/tables.ts'
import type { FinalTable, PendingSeen } from './history.ts'

const rowsAtATime = 500

/** Returns which pending row a call to DynamoDB puts, if it puts one. */
export function pendingRowOf(operation: string, body: Buffer): { userId: string; conversationId: string } | undefined {
  if (!operation.endsWith('.PutItem')) return undefined
  const { TableName, Item } = JSON.parse(String(body)) as { TableName: string; Item: Record<string, { S?: string }> }
  if (!TableName.endsWith('pending_deliveries')) return undefined
  return { userId: Item.receiver_id?.S ?? '', conversationId: Item.conversation_id?.S ?? '' }
}

/** Returns the rows of all undelivered messages, and how far each receiver has acked. */
export async function readPending(dynamo: Dynamo): Promise<PendingSeen[]> {
  const rows = createPendingDynamo(dynamo)
  const boundaries = createBoundariesDynamo(dynamo)
  const table = { TableName: `${dynamo.tablePrefix}pending_deliveries`, ConsistentRead: true }
  const { Items = [] } = await dynamo.client.call('Scan', 'pending_deliveries', table)
  const receivers = [...new Set(Items.map((item) => item.receiver_id as UserId))]
  const found = await Promise.all(
    receivers.map(async (userId) => (await rows.list(userId)).map((row) => ({ ...row, userId }))),
  )
  return Promise.all(
    found.flat().map(async ({ userId, conversationId, firstUndeliveredSeq }) => {
      const [ticks] = await boundaries.getMany([{ userId, conversationId }])
      return { userId, conversationId, firstUndeliveredSeq, lastDeliveredSeq: ticks?.lastDeliveredSeq ?? 0 }
    }),
  )
}

/** Returns everything that DynamoDB holds in the end, also what no client was ever told of. */
export async function readTables(dynamo: Dynamo): Promise<FinalTable[]> {
  const conversations = createConversationsDynamo(dynamo)
  const messages = createMessagesDynamo(dynamo)
  const memberships = createMembershipsDynamo(dynamo)
  const ids = await everyConversation()
  const found = (await conversations.getMany(ids)).toSorted((one, other) => one.id.localeCompare(other.id))
  return Promise.all(found.map(read))

  async function everyConversation(): Promise<ConversationId[]> {
    const table = { TableName: `${dynamo.tablePrefix}conversations`, ConsistentRead: true }
    const { Items = [] } = await dynamo.client.call('Scan', 'conversations', table)
    return Items.map((item) => item.conversation_id as ConversationId)
  }

  async function read(conversation: Conversation): Promise<FinalTable> {
    const { id: conversationId } = conversation
    const rows: LogRow[] = []
    for (let more = true; more; ) {
      const next = await messages.above(conversationId, rows.at(-1)?.seq ?? 0, rowsAtATime)
      rows.push(...next)
      more = next.length === rowsAtATime
    }
    const members = conversation.members.map((userId) => ({ userId: userId as UserId, conversationId }))
    const index = await memberships.getMany(members)
    const indexed = members.filter((_member, i) => index[i] !== undefined).map(({ userId }) => userId)
    if (conversation.kind === 'DIRECT') return { conversationId, rows, indexed }
    const { title, membersById, version } = conversation
    const group = {
      id: conversationId,
      title,
      members: [...membersById].map(([userId, { role, joinedSeq }]) => ({ userId, role, joinedSeq })),
      version,
    }
    return { conversationId, rows, group, indexed }
  }
}
