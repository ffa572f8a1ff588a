/** Returns the message of an error, as the server worded it. */
export const problemWords = (error: unknown): string => (error instanceof Error ? error.message : String(error))
