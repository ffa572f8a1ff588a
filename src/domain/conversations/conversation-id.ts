import { createHash } from 'node:crypto'
import type { ConversationId, UserId } from '../../protocol/ids.ts'

/** Hashes the sorted pair. So a direct chat is found without a lookup and created without a race, and its id reveals no names. */
export function directConversationId(one: UserId, other: UserId): ConversationId {
  const pair = [one, other].sort().join('\n')
  const hash = createHash('sha256').update(pair).digest().subarray(0, 20).toString('base64url')
  return `dm_${hash}` as ConversationId
}
