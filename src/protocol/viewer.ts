import type { UserId } from './ids.ts'

/** Who is asking, as their token says. */
export type Viewer = { userId: UserId; name?: string; expiresAtMs: number }
