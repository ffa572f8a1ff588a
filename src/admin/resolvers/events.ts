import type { AdminContext } from './context.ts'
import { notBuilt } from './not-built.ts'

/** `data` is the text of a JSON object. */
export type AdminEvent = {
  id: string
  type: string
  occurredAtMs: number
  conversationId?: string
  seq?: number
  data: string
  position: string
}
export type EventPage = { events: AdminEvent[]; position: string; hasMore: boolean }
type From = { after?: string | null | undefined }

export function readEvents(
  _ctx: AdminContext,
  _args: From & { first?: number | null | undefined },
): Promise<EventPage> {
  throw notBuilt('events')
}

export function watchEvents(_ctx: AdminContext, _args: From): AsyncIterable<AdminEvent> {
  throw notBuilt('events')
}
