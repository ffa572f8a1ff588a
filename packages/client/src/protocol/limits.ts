export const bodyMaxCodePoints = 4096
/** Unread counts end here. */
export const unreadMax = 100
