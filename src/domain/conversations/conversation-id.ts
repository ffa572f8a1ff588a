import { createHash } from 'node:crypto'
import type { ConversationId, UserId } from '../../protocol/ids.ts'

/** A hash of the sorted pair: no lookup to find a direct chat, no race to create it, no name to guess it by. */
export function directConversationId(one: UserId, other: UserId): ConversationId {
  const pair = [one, other].sort().join('\n')
  const hash = createHash('sha256').update(pair).digest().subarray(0, 20).toString('base64url')
  return `dm_${hash}` as ConversationId
}
