import * as fc from 'fast-check'
import { GraphQLString } from 'graphql'
import { expect, test } from 'vitest'
import { leafOf } from '../../../src/engine/graphql/compiled-values.ts'

const write = leafOf(GraphQLString)
const run = { context: {}, variables: {}, isPersonal: false }

test('writes every text as JSON.stringify does', async () => {
  const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ maxLength: 200 }))
  await fc.assert(
    fc.property(texts, (text) => {
      expect(write(text, run)).toBe(JSON.stringify(text))
    }),
  )
})

test('writes every character as JSON.stringify does, whether it stands alone or in a text', () => {
  for (let code = 0; code <= 0xffff; code += 1) {
    const character = String.fromCharCode(code)
    if (write(character, run) !== JSON.stringify(character)) expect.fail(`U+${code.toString(16)}`)
    if (write(`a ${character} b`, run) !== JSON.stringify(`a ${character} b`)) expect.fail(`U+${code.toString(16)}`)
  }
})
