import type { Conversation } from '../../ports/conversations.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId } from '../../protocol/ids.ts'
import type { Tell } from '../feed/announce.ts'
import { changedMetadata } from '../feed/feed-events.ts'
import type { Member } from './access.ts'
import type { ProposedChange } from './group.ts'
import type { Groups } from './groups.ts'

// What backends put beside a conversation. That of a group is part of its changes, so every node's copy is as new as the group. A direct chat
// has no version, and a node keeps its row for good: so its metadata is read anew for each request that asks for it.

type Wanted = Pick<ProposedChange, 'title' | 'metadata'>

export function createDescribe({
  conversations,
  events,
  groups,
  tell,
}: Pick<Ports, 'conversations' | 'events'> & { groups: Groups; tell: Tell }) {
  /** A direct chat has no title. */
  async function change(member: Member, wanted: Wanted): Promise<Member> {
    const { userId: actorId, conversation } = member
    const { id, kind, members } = conversation
    if (kind === 'GROUP') return groups.describeByService(member, wanted)
    if (wanted.metadata === undefined) return member
    await conversations.setMetadata(id, wanted.metadata ?? undefined)
    await tell({
      type: 'conversation.updated',
      conversationId: id,
      data: JSON.stringify({ actorId, ...changedMetadata }),
    })
    await events.publishConversation(members, id)
    return member
  }

  /** Returns the metadata of each, in the order asked for. Direct chats are read as one batch. */
  async function metadataOfMany(asked: readonly Conversation[]): Promise<(string | undefined)[]> {
    const direct = asked.filter(({ kind }) => kind === 'DIRECT').map(({ id }) => id)
    const rows = direct.length > 0 ? await conversations.getMany(direct) : []
    const found = new Map<ConversationId, string | undefined>(rows.map(({ id, metadata }) => [id, metadata]))
    return asked.map(({ id, kind, metadata }) => (kind === 'GROUP' ? metadata : found.get(id)))
  }

  async function metadataOf(conversation: Conversation): Promise<string | undefined> {
    const [metadata] = await metadataOfMany([conversation])
    return metadata
  }

  return { change, metadataOf, metadataOfMany }
}
