import { GraphQLError, Kind } from 'graphql'
import { fromRfc3339, timeMaxMs, timeMinMs, toTimeText } from '../protocol/time-text.ts'
import { builder } from './builder.ts'

builder.scalarType('DateTime', {
  description: 'A moment as RFC 3339 in UTC with milliseconds: 2026-01-31T12:00:00.000Z.',
  // Rows of older versions may hold a time that RFC 3339 cannot write: the nearest one that it can is shown.
  serialize: (ms) => toTimeText(Math.min(Math.max(ms, timeMinMs), timeMaxMs)),
  parseValue: parse,
  parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : undefined),
})

function parse(value: unknown): Date {
  const ms = typeof value === 'string' ? fromRfc3339(value) : undefined
  if (ms === undefined) {
    throw new GraphQLError('A DateTime is a string in RFC 3339 with a time zone, such as 2026-01-31T12:00:00Z.')
  }
  return new Date(ms)
}
