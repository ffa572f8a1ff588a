import { GraphQLError, Kind } from 'graphql'
import { toTimeText } from '../protocol/time-text.ts'
import { builder } from './builder.ts'

builder.scalarType('DateTime', {
  description: 'A moment as RFC 3339 in UTC with milliseconds: 2026-01-31T12:00:00.000Z.',
  serialize: (ms) => toTimeText(ms),
  parseValue: parse,
  parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : undefined),
})

function parse(value: unknown): Date {
  const date = new Date(typeof value === 'string' ? value : Number.NaN)
  if (Number.isNaN(date.getTime())) throw new GraphQLError('A DateTime is a string in RFC 3339.')
  return date
}
