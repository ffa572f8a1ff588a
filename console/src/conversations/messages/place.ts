import type { MessagesQueryVariables } from '../../generated/urql.ts'

/** The part of a log that is shown: around a seq, older or newer than a cursor, or its end. */
export type Place = { seq: number } | { after: string } | { before: string } | 'end'

const perPage = 50

export function placeOf({ seq, after, before }: Readonly<Record<string, string>>): Place {
  const wanted = Number(seq)
  if (Number.isInteger(wanted) && wanted > 0) return { seq: wanted }
  if (after !== undefined) return { after }
  return before === undefined ? 'end' : { before }
}

export function pageAt(place: Place): Omit<MessagesQueryVariables, 'conversationId'> {
  if (place === 'end') return { first: perPage }
  if ('seq' in place) return { first: perPage, aroundSeq: place.seq }
  return 'after' in place ? { first: perPage, after: place.after } : { last: perPage, before: place.before }
}
