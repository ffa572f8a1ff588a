import type { Conversation } from '../../../src/ports/conversations.ts'
import type { LogRow } from '../../../src/ports/log.ts'
import type { Stores } from '../../../src/ports/ports.ts'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import type { FinalTable, PendingSeen } from './history.ts'

/** Returns all rows of a table, or at least their keys. */
export type Keys = (table: 'conversations' | 'pending_deliveries') => Promise<readonly Record<string, unknown>[]>

const rowsAtATime = 500

/** Returns which pending row a call to DynamoDB puts, if it puts one. */
export function pendingRowOf(operation: string, body: Buffer): { userId: string; conversationId: string } | undefined {
  if (!operation.endsWith('.PutItem')) return undefined
  const { TableName, Item } = JSON.parse(String(body)) as { TableName: string; Item: Record<string, { S?: string }> }
  if (!TableName.endsWith('pending_deliveries')) return undefined
  return { userId: Item.receiver_id?.S ?? '', conversationId: Item.conversation_id?.S ?? '' }
}

/** Returns the rows of all undelivered messages, and how far each receiver has acked. */
export async function readPending({ pending, boundaries }: Stores, keysOf: Keys): Promise<PendingSeen[]> {
  const keys = await keysOf('pending_deliveries')
  const receivers = [...new Set(keys.map((key) => key.receiver_id as UserId))]
  const found = await Promise.all(
    receivers.map(async (userId) => (await pending.list(userId)).map((row) => ({ ...row, userId }))),
  )
  return Promise.all(
    found.flat().map(async ({ userId, conversationId, firstUndeliveredSeq }) => {
      const [ticks] = await boundaries.getMany([{ userId, conversationId }])
      return { userId, conversationId, firstUndeliveredSeq, lastDeliveredSeq: ticks?.lastDeliveredSeq ?? 0 }
    }),
  )
}

/** Returns everything that is stored in the end, also what no client was ever told of. */
export async function readTables(stores: Stores, keysOf: Keys): Promise<FinalTable[]> {
  const { conversations, messages, memberships } = stores
  const ids = (await keysOf('conversations')).map((key) => key.conversation_id as ConversationId)
  const found = (await conversations.getMany(ids)).toSorted((one, other) => one.id.localeCompare(other.id))
  return Promise.all(found.map(read))

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
