// Checks of what backends send that several mutations make.

import { badInput } from '../../protocol/errors.ts'
import {
  type ClientMessageId,
  type ConversationId,
  isClientMessageId,
  isConversationId,
  isUserId,
  type UserId,
} from '../../protocol/ids.ts'
import { metadataText } from '../../protocol/metadata.ts'

export function userIdOf(field: string, id: string): UserId {
  if (isUserId(id)) return id
  throw badInput(field, `${field} must be 1 to 128 of A-Z a-z 0-9 . _ @ | : - and no id of another kind.`)
}

export const userIdsOf = (field: string, ids: readonly string[] | null | undefined): UserId[] =>
  (ids ?? []).map((id) => userIdOf(field, id))

export function clientIdOf(field: string, id: string): ClientMessageId {
  if (isClientMessageId(id)) return id
  throw badInput(field, `${field} must be 1 to 64 of A-Z a-z 0-9 . _ : -`)
}

/** Returns undefined for a text that is the id of no conversation. */
export const conversationIdIn = (id: string): ConversationId | undefined => (isConversationId(id) ? id : undefined)

/** Returns the text that is kept, null where it is to be taken away, undefined where nothing was given. */
export function metadataOf(given: unknown, at = ''): string | null | undefined {
  if (given == null) return given === null ? null : undefined
  const metadata = metadataText(given)
  if ('problem' in metadata) throw badInput(`${at}metadata`, metadata.problem)
  return metadata.text
}
