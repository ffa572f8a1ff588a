import type { Seq } from '../../protocol/ids.ts'
import { seqMax } from '../../protocol/limits.ts'
import type { Page, PageRequest } from './page-bounds.ts'

// A page around one place of the log is made of two: what is at or below the place, and what is above it. Each is read as if it were to
// fill the page alone, so that the page is full also where the log begins or ends next to the place.

/** `seq` is the place in the middle. */
export type AroundRequest = { count: number; seq: Seq; notices?: boolean }

export const newerPart = ({ seq, ...asked }: AroundRequest): PageRequest => ({
  ...asked,
  from: 'oldest',
  newerThan: seq,
})

/**
 * `isEnd` means that nothing is above the place. Then the older part is read from the end of the log: a reader fills every hole below the seq
 * it is given, and beyond the end no seq was given out.
 */
export const olderPart = ({ seq, ...asked }: AroundRequest, isEnd: boolean): PageRequest => ({
  ...asked,
  from: 'newest',
  olderThan: isEnd ? seqMax + 1 : seq + 1,
})

/** Takes half of each, and more of the one where the other is short. */
export function joinParts(count: number, newer: Page, older: Page): Page {
  const half = Math.ceil(count / 2)
  const fromOlder = Math.min(older.messages.length, Math.max(half, count - newer.messages.length))
  const fromNewer = Math.min(newer.messages.length, count - fromOlder)
  const unshownNewer = newer.messages.length - fromNewer
  return {
    messages: [...newer.messages.slice(unshownNewer), ...older.messages.slice(0, fromOlder)],
    moreNewer: unshownNewer > 0 || newer.moreNewer,
    moreOlder: fromOlder < older.messages.length || older.moreOlder,
  }
}
