/** A backend that runs in the process beside the server. */
export type EmbeddedBackend = { url: string; description: string; stop(): Promise<void> }

/** The server asks that process for these backends, on its command line. */
export type BackendsRequest = { redis: boolean; dynamodbPath?: string }

/** The process reports this to the server, once. */
export type BackendsReport =
  | { redis?: Omit<EmbeddedBackend, 'stop'>; dynamodb?: Omit<EmbeddedBackend, 'stop'> }
  | { failed: string }
