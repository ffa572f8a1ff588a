// The numbers of the API: docs/api.md and docs/limits.md explain them.

export const bodyMaxCodePoints = 4096
/** As JSON in UTF-8. */
export const metadataMaxBytes = 4096
export const metadataDepthMax = 20
/** Of one object in it; variables of operations may have no more either. */
export const metadataKeysMax = 200
export const nameMaxCodePoints = 100
/** Of the comment of a report, and of how it was dealt with. */
export const reportTextMaxCodePoints = 1000
/** How much one user may report in an hour. */
export const reportsPerHour = 60
export const avatarUrlMax = 2048
export const watchedMax = 100
/** How many people one user may watch, over all their streams on a node. */
export const watchedPerUserMax = 2000
export const pageDefault = 50
export const pageMax = 100
export const eventsPageDefault = 50
export const eventsPageMax = 1000
/** Of those who reacted to a message with one emoji. */
export const reactingUsersDefault = 20
export const positionsMax = 1000
export const nodesMax = 100
/** How many users a backend may make or change at a time. */
export const upsertedUsersMax = 100
export const unreadMax = 100
export const groupMembersMax = 1024
export const titleMaxCodePoints = 100
/** The longest emoji that Unicode recommends takes 35. */
export const emojiMaxBytes = 40
/**
 * The room for one person's reactions to one message, recently removed ones included: thirteen of the shortest emoji, four of the longest.
 * With an id of 128 bytes for each, those of 1,024 people take 320 KB of the 400 that DynamoDB has for a row.
 */
export const reactionBytesMax = 176
/** How many people may react to one message: as many as a group may have. */
export const reactingPeopleMax = 1024
/** How often one person may change their reactions to one message: each change takes a cell of the log. */
export const reactionChangesMax = 100
/** How many edits one message may have. */
export const editsMax = 100
/** The largest row that DynamoDB stores. */
export const rowMaxBytes = 400 * 1024
export const attachmentMaxBytes = 25 * 1024 * 1024
export const attachmentsMax = 10
export const fileNameMaxCodePoints = 255
/** How many devices one user may have. */
export const devicesMax = 20
/** How many devices of one user the server keeps positions for, and how many may begin in an hour. */
export const keptDevicesMax = 20
export const newDevicesPerHour = 60
/** In so many conversations the server keeps where a device began: they fit into a row of DynamoDB. */
export const keptStartsMax = 5000
export const pushTokenMax = 4096
export const httpBodyMaxBytes = 128 * 1024
export const frameMaxBytes = 64 * 1024
/** A hundred years. */
export const retentionDaysMax = 36_500
export const operationsPerSocketMax = 100
/** The largest Int of GraphQL. */
export const seqMax = 2 ** 31 - 1
