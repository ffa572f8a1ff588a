import type { UserId } from './ids.ts'

/** The user who makes a request, as their token says. */
export type Viewer = { userId: UserId; name?: string; expiresAtMs: number }
