import { valueFromASTUntyped } from 'graphql'
import { builder } from './builder.ts'

/** Inside, it is the text that is stored. What may be in it is for the resolver to judge, who can name the field. */
builder.scalarType('JSON', {
  description:
    'A JSON object of up to 4 KB as UTF-8, kept as it came: see docs/api.md for what that means for numbers and for keys that are numbers.',
  serialize: (text) => JSON.parse(text) as unknown,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
})
