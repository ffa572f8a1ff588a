/** Replaces the text of a deleted message. */
export const deletedWords = 'This message was deleted'
