import type { UserId } from '../../protocol/ids.ts'
import { type Connection, connectionOf } from '../connection.ts'
import { type Context, viewerId } from '../context.ts'
import { type PageArguments, pageSize } from '../page-arguments.ts'
import type { User } from './users.ts'

/** Lists the users whom the viewer has blocked, by id. Of a stranger it shows the id alone: a block must not reveal a name. */
export async function listBlockedUsers(ctx: Context, args: PageArguments): Promise<Connection<User>> {
  const userId = viewerId(ctx)
  const { count, from } = pageSize(args)
  const after = args.after == null ? undefined : ctx.cursors.toBlocked(userId, args.after, 'after')
  const before = args.before == null ? undefined : ctx.cursors.toBlocked(userId, args.before, 'before')
  const { blockedAbove, blockedBelow } = ctx.domain
  const read = await (from === 'start'
    ? blockedAbove(userId, after, count + 1)
    : blockedBelow(userId, before, count + 1))
  const found = read.filter((id) => (!after || id > after) && (!before || id < before))
  const shown = found.slice(0, count)
  const edges = (from === 'start' ? shown : shown.reverse()).map((id) => edgeOf(ctx, userId, id))
  const more = found.length > count
  return connectionOf(edges, {
    hasNextPage: from === 'start' ? more : before !== undefined,
    hasPreviousPage: from === 'end' ? more : after !== undefined,
  })
}

const edgeOf = (ctx: Context, userId: UserId, id: UserId): Connection<User>['edges'][number] => ({
  cursor: ctx.cursors.ofBlocked(userId, id),
  node: { id, mayBeStranger: true },
})
