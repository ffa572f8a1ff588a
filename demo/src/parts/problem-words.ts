/** What is wrong, as the server says it. */
export const problemWords = (error: unknown): string => (error instanceof Error ? error.message : String(error))
