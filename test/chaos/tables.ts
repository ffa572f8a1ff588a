import type { Conversation, LogRow } from '../../src/domain/ports.ts'
import type { ConversationId, UserId } from '../../src/protocol/ids.ts'
import { createConversationsDynamo } from '../../src/store/conversations.dynamo.ts'
import { createMembershipsDynamo } from '../../src/store/memberships.dynamo.ts'
import { createMessagesDynamo } from '../../src/store/messages.dynamo.ts'
import type { Dynamo } from '../../src/store/tables.ts'
import type { FinalTable } from './history.ts'

const rowsAtATime = 500

/** Everything DynamoDB holds in the end: also what nobody was ever told of. */
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
    const { title, seats, version } = conversation
    const group = {
      id: conversationId,
      title,
      members: [...seats].map(([userId, { role, joinedSeq }]) => ({ userId, role, joinedSeq })),
      version,
    }
    return { conversationId, rows, group, indexed }
  }
}
