/** What stands where a message was. */
export const deletedWords = 'This message was deleted'
