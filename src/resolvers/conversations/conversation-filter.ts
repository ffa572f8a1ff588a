import type { Listed } from '../../domain/conversations/chat-list.ts'
import { isGroupId } from '../../protocol/ids.ts'
import { unreadMax } from '../../protocol/limits.ts'
import { type Context, viewerId } from '../context.ts'

/** What is not given does not matter. */
export type ConversationFilter = {
  kind?: 'DIRECT' | 'GROUP' | null | undefined
  archived?: boolean | null | undefined
  pinned?: boolean | null | undefined
  unread?: boolean | null | undefined
}

type Filter = ConversationFilter | null | undefined

/** As far as the list tells, without looking into the chat. */
export const fits = ({ sortKey, settings }: Listed, filter: Filter): boolean =>
  (filter?.kind == null || filter.kind === (isGroupId(sortKey.id) ? 'GROUP' : 'DIRECT')) &&
  (filter?.archived == null || filter.archived === settings.archived) &&
  (filter?.pinned == null || filter.pinned === settings.pinned)

/** Of those that fit so far, enough to fill a page and to know whether there are more. */
export async function chosenOf(
  ctx: Context,
  listed: readonly Listed[],
  filter: Filter,
  count: number,
): Promise<readonly Listed[]> {
  if (filter?.unread == null) return listed
  return ctx.domain.unreadChats.choose(viewerId(ctx), listed, filter.unread, count + 1)
}

/** Muted and archived ones left out; `unreadMax` stands for more. */
export async function unreadConversationCount(ctx: Context): Promise<number> {
  const userId = viewerId(ctx)
  return ctx.loaders.unreadChats(async () => {
    const listed = await ctx.loaders.chatOrder(userId)
    const wanted = listed.filter(({ settings }) => settings.mutedUntilMs === undefined && !settings.archived)
    return (await ctx.domain.unreadChats.choose(userId, wanted, true, unreadMax)).length
  })
}
