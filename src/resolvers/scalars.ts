// The scalars of both APIs, as their schemas declare them.

import { GraphQLError, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { fromRfc3339, timeMaxMs, timeMinMs, toTimeText } from '../protocol/time-text.ts'

/** What resolvers take and return for each. A DateTime comes in as a Date and goes out as ms; JSON goes out as its text. */
export type Scalars = {
  ID: { Input: string; Output: string }
  DateTime: { Input: Date; Output: number }
  JSON: { Input: unknown; Output: string }
}

export const dateTime = {
  description: 'A moment as RFC 3339 in UTC with milliseconds: 2026-01-31T12:00:00.000Z.',
  // Rows of older versions may hold a time that RFC 3339 cannot write: the nearest one that it can is shown.
  serialize: (ms: number) => toTimeText(Math.min(Math.max(ms, timeMinMs), timeMaxMs)),
  parseValue: parseTime,
  parseLiteral: (node: ValueNode) => parseTime(node.kind === Kind.STRING ? node.value : undefined),
}

/** Inside, it is the text that is stored. What may be in it is for the resolver to judge, who can name the field. */
export const json = {
  description:
    'A JSON object of up to 4 KB as UTF-8, kept as it came: see docs/api.md for what that means for numbers and for keys that are numbers.',
  serialize: (text: string) => JSON.parse(text) as unknown,
  parseValue: (value: unknown) => value,
  parseLiteral: (node: ValueNode, variables?: Parameters<typeof valueFromASTUntyped>[1]) =>
    valueFromASTUntyped(node, variables),
}

function parseTime(value: unknown): Date {
  const ms = typeof value === 'string' ? fromRfc3339(value) : undefined
  if (ms === undefined) {
    throw new GraphQLError('A DateTime is a string in RFC 3339 with a time zone, such as 2026-01-31T12:00:00Z.')
  }
  return new Date(ms)
}
