import type { Divider } from './rows.ts'

/** `open`: nobody has looked since, so it still grows. */
export type DividerState = (Divider & { open: boolean }) | undefined

export type DividerEvent =
  | { type: 'opened'; lastReadSeq: number; unread: number; attended: boolean }
  | { type: 'arrived'; seq: number; attended: boolean }
  | { type: 'attended' }
  | { type: 'wrote' }

export function nextDivider(state: DividerState, event: DividerEvent): DividerState {
  switch (event.type) {
    case 'opened':
      if (event.unread === 0) return state
      return { afterSeq: event.lastReadSeq, count: event.unread, open: !event.attended }
    case 'arrived':
      if (event.attended) return state
      if (state?.open) return { ...state, count: state.count + 1 }
      return { afterSeq: event.seq - 1, count: 1, open: true }
    case 'attended':
      return state?.open ? { ...state, open: false } : state
    // Whoever answers has seen what is new.
    case 'wrote':
      return undefined
  }
}
