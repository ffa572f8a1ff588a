import type { Divider } from './rows.ts'

/** While it is `open`, the user has not looked since, so it still grows. `countedSeq` is the last message that is counted. */
export type DividerState = (Divider & { open: boolean; countedSeq: number }) | undefined

export type DividerEvent =
  | { type: 'opened'; lastReadSeq: number; lastSeq: number; unread: number; attended: boolean }
  | { type: 'arrived'; seq: number; attended: boolean }
  | { type: 'attended' }
  | { type: 'wrote' }

export function nextDivider(state: DividerState, event: DividerEvent): DividerState {
  switch (event.type) {
    case 'opened':
      if (event.unread === 0) return state
      return { afterSeq: event.lastReadSeq, count: event.unread, open: !event.attended, countedSeq: event.lastSeq }
    case 'arrived':
      // The chat list may have counted it before it arrived here.
      if (event.attended || event.seq <= (state?.countedSeq ?? 0)) return state
      if (state?.open) return { ...state, count: state.count + 1, countedSeq: event.seq }
      return { afterSeq: event.seq - 1, count: 1, open: true, countedSeq: event.seq }
    case 'attended':
      return state?.open ? { ...state, open: false } : state
    // A user who replies has seen the new messages.
    case 'wrote':
      return undefined
  }
}
