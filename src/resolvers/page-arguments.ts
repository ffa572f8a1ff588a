import { badInput } from '../protocol/errors.ts'
import { pageDefault, pageMax } from '../protocol/limits.ts'

export type PageArguments = {
  first?: number | null | undefined
  after?: string | null | undefined
  last?: number | null | undefined
  before?: string | null | undefined
}

/** Returns how many items the page has, and from which end of the list. */
export function pageSize({ first, last }: PageArguments): { count: number; from: 'start' | 'end' } {
  if (first != null && last != null) throw badInput('last', 'Give first or last, not both.')
  if (last != null) return { count: inRange('last', last), from: 'end' }
  return { count: first == null ? pageDefault : inRange('first', first), from: 'start' }
}

function inRange(field: string, value: number): number {
  if (value >= 1 && value <= pageMax) return value
  throw badInput(field, `${field} must be between 1 and ${pageMax}.`)
}

export type AroundArguments = PageArguments & { aroundSeq?: number | null | undefined }

/** What a page around a seq is asked for; undefined where the arguments name none. */
export function aroundOf(args: AroundArguments): { seq: number; count: number } | undefined {
  const { aroundSeq } = args
  if (aroundSeq == null) return undefined
  if (aroundSeq < 0) throw badInput('aroundSeq', 'aroundSeq must be 0 or more.')
  for (const field of ['after', 'last', 'before'] as const) {
    if (args[field] != null) throw badInput(field, `aroundSeq goes with first alone, not with ${field}.`)
  }
  return { seq: aroundSeq, count: pageSize(args).count }
}
