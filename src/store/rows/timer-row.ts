import type { Timer, TimerKind } from '../../ports/tasks.ts'
import type { Item } from './tables.ts'

const digits = 15

/** Stands above all entries that are due by then, and below all others. */
export const entryAfter = (dueMs: number): string => `${textOf(dueMs)}$`

export const toItem = ({ kind, subject, dueMs }: Timer): Item<'timers'> => ({
  timer_list: 'due',
  timer_entry: `${textOf(dueMs)}#${kind}#${subject}`,
})

export function toTimer({ timer_entry }: Item<'timers'>): Timer {
  const [due = '', kind = '', ...rest] = timer_entry.split('#')
  return { kind: kind as TimerKind, subject: rest.join('#'), dueMs: Number(due) }
}

const textOf = (dueMs: number): string => String(Math.max(0, Math.trunc(dueMs))).padStart(digits, '0')
