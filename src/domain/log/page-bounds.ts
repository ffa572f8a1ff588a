import type { GroupChange, LogRow } from '../../ports/log.ts'
import type { Seq } from '../../protocol/ids.ts'
import { seqMax } from '../../protocol/limits.ts'
import { floorOf, type Member } from '../conversations/access.ts'
import type { MessageOrNotice } from '../conversations/notices.ts'
import { isMessage } from './log.ts'

// What a page may show, and how it is made of the rows that were read for it.

/** A range of history. Its bounds are exclusive; `from` says at which end of them to begin. `notices`: group changes are shown too. */
export type PageRequest = {
  count: number
  from: 'newest' | 'oldest'
  olderThan?: Seq
  newerThan?: Seq
  notices?: boolean
}

/** The messages are sorted newest first. */
export type Page = { messages: readonly MessageOrNotice[]; moreNewer: boolean; moreOlder: boolean }

/**
 * What was asked for, limited to what the member may see. `hasNewer`, `hasOlder`: there is something beyond the bound on that side. `version` is
 * that of the group when the member was looked up. A direct chat needs none, as its members never change.
 */
export type Bounds = Required<PageRequest> & { hasNewer: boolean; hasOlder: boolean; version: Seq }

/** A group change may have its notice with it. */
export type PageRow = LogRow | (GroupChange & { notice: MessageOrNotice })

export function boundsOf(asked: PageRequest, member: Member): Bounds {
  const { count, from, olderThan, newerThan, notices = false } = asked
  const { conversation } = member
  const floor = floorOf(member, notices)
  const hasOlder = newerThan !== undefined && newerThan > floor
  return {
    count,
    from,
    notices,
    olderThan: olderThan ?? seqMax + 1,
    newerThan: hasOlder ? newerThan : floor,
    hasNewer: olderThan !== undefined,
    hasOlder,
    version: conversation.kind === 'GROUP' ? conversation.version : seqMax,
  }
}

export const isSame = (one: Bounds, other: Bounds): boolean =>
  one.count === other.count &&
  one.from === other.from &&
  one.notices === other.notices &&
  one.olderThan === other.olderThan &&
  one.newerThan === other.newerThan &&
  one.hasNewer === other.hasNewer &&
  one.hasOlder === other.hasOlder &&
  one.version === other.version

/**
 * Takes the messages, the notices and the group changes from these rows, of which `limit` were asked for. Returns where to read on if there are
 * too few and there may be more.
 */
export function take(
  rows: readonly PageRow[],
  limit: number,
  bounds: Bounds,
  found: MessageOrNotice[],
  changes: GroupChange[],
): Seq | undefined {
  let inside = 0
  for (const row of rows) {
    if (!isInside(row, bounds)) continue
    inside += 1
    if (isMessage(row)) found.push(row)
    if (row.kind !== 'group') continue
    changes.push(row)
    if ('notice' in row) found.push(row.notice)
  }
  const isEnd = rows.length < limit || inside < rows.length
  return isEnd || found.length > bounds.count ? undefined : rows.at(-1)?.seq
}

export const isInside = ({ seq }: LogRow, { olderThan, newerThan }: Bounds): boolean =>
  seq > newerThan && seq < olderThan

/** Makes the page of what was found. One message more than asked for means that there are more. */
export function pageOf(found: MessageOrNotice[], { count, from, hasNewer, hasOlder }: Bounds): Page {
  const more = found.length > count
  const shown = found.slice(0, count)
  return from === 'newest'
    ? { messages: shown, moreNewer: hasNewer, moreOlder: more || hasOlder }
    : { messages: shown.reverse(), moreNewer: more || hasNewer, moreOlder: hasOlder }
}
