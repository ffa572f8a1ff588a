// The numbers of the API: docs/api.md and docs/limits.md explain them.

export const bodyMaxCodePoints = 4096
export const nameMaxCodePoints = 100
export const avatarUrlMax = 2048
export const watchedMax = 100
/** By one user, over all their streams on a node. */
export const watchedPerUserMax = 2000
export const pageDefault = 50
export const pageMax = 100
export const positionsMax = 1000
export const unreadMax = 100
export const groupMembersMax = 1024
export const titleMaxCodePoints = 100
/** The longest emoji that Unicode recommends takes 35. */
export const emojiMaxBytes = 40
/**
 * Room for one person's reactions to one message, those taken back lately included: thirteen of the shortest emoji, four of the longest.
 * With an id of 128 bytes for each, those of 1,024 people take 320 KB of the 400 that DynamoDB has for a row.
 */
export const reactionBytesMax = 176
/** People who have reacted to one message: as many as a group has. */
export const reactingPeopleMax = 1024
/** Changes by one person of their reactions to one message: each takes a place in the log. */
export const reactionChangesMax = 100
/** Of one message. */
export const editsMax = 100
/** A row of DynamoDB. */
export const rowMaxBytes = 400 * 1024
export const attachmentMaxBytes = 25 * 1024 * 1024
export const attachmentsMax = 10
export const fileNameMaxCodePoints = 255
/** Of one user. */
export const devicesMax = 20
export const pushTokenMax = 4096
export const httpBodyMaxBytes = 128 * 1024
export const frameMaxBytes = 64 * 1024
export const operationsPerSocketMax = 100
/** Int of GraphQL. */
export const seqMax = 2 ** 31 - 1
