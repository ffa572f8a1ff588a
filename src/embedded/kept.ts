/** A backend that the keeper runs. */
export type Kept = { url: string; description: string; stop(): Promise<void> }

/** What the server asks the keeper for, on its command line. */
export type KeeperOrder = { redis: boolean; dynamodbPath?: string }

/** What the keeper answers, once. */
export type KeeperReport = { redis?: Omit<Kept, 'stop'>; dynamodb?: Omit<Kept, 'stop'> } | { failed: string }
