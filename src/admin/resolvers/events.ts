import { feedBeginning, parsePositions, printPositions } from '../../domain/feed/positions.ts'
import type { PlacedEvent } from '../../domain/feed/read-feed.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import { eventsPageDefault, eventsPageMax } from '../../protocol/limits.ts'
import type { AdminContext } from './context.ts'

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

export async function readEvents(
  ctx: AdminContext,
  { after, first }: From & { first?: number | null | undefined },
): Promise<EventPage> {
  requireFeed(ctx)
  const count = first ?? eventsPageDefault
  if (count < 1 || count > eventsPageMax) throw badInput('first', `first must be between 1 and ${eventsPageMax}.`)
  const from = after == null ? feedBeginning : parsePositions(after, 'after')
  const page = await ctx.domain.feed.page(from, count)
  return { events: page.events.map(shown), position: printPositions(page.after), hasMore: page.hasMore }
}

export async function watchEvents(ctx: AdminContext, { after }: From): Promise<AsyncIterable<PlacedEvent>> {
  requireFeed(ctx)
  const from = after == null ? await ctx.domain.feed.end() : parsePositions(after, 'after')
  return ctx.domain.feed.follow(from)
}

/** Throws where this deployment keeps no feed. */
export function requireFeed(ctx: AdminContext): void {
  if (ctx.domain.feed.isOn) return
  throw new ChatError('FORBIDDEN', 'This deployment keeps no events. Set EVENTS=on for all of its nodes.')
}

export function shown({ event, after }: PlacedEvent): AdminEvent {
  const { id, type, occurredAtMs, conversationId, seq, data } = event
  return {
    id,
    type,
    occurredAtMs,
    ...(conversationId !== undefined && { conversationId }),
    ...(seq !== undefined && { seq }),
    data: JSON.stringify(data),
    position: printPositions(after),
  }
}
