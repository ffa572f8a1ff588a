// The numbers of CONTRACT.md.

export const bodyMaxCodePoints = 4096
export const nameMaxCodePoints = 100
export const avatarUrlMax = 2048
export const watchedMax = 100
export const pageDefault = 50
export const pageMax = 100
export const positionsMax = 1000
export const unreadMax = 100
export const groupMembersMax = 1024
export const titleMaxCodePoints = 100
/** On one message, those taken back included: they live in its row. */
export const reactionsMax = 2000
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
