import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  buildSchema,
  execute,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  locatedError,
  parse,
} from 'graphql'
import { expect, test } from 'vitest'

// What src/engine/graphql repeats of graphql 16.15.0, beside the answers that compiled.test.ts and random-documents.test.ts compare. When a test
// here fails after an update: read the diff of execution/execute, execution/values and utilities/coerceInputValue, change compiled-*.ts and
// coercion.ts to match, run test/engine/graphql and test/transport/execution, and write the new version here. Until that is done,
// GRAPHQL_EXECUTOR=reference serves without any of it.

test('graphql is the version that was read', () => {
  const manifest = createRequire(import.meta.url).resolve('graphql/package.json')
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  expect(version, 'graphql was updated: see the top of this file').toBe('16.15.0')
})

test('resolvers are given the parts of `info` that compiled operations know, and three that they leave out', async () => {
  const schema = buildSchema('type Query { field: String }')
  let seen: string[] = []
  const field = (schema.getQueryType() as GraphQLObjectType).getFields().field
  if (field)
    field.resolve = (_root, _args, _context, info: GraphQLResolveInfo) => {
      seen = Object.keys(info)
    }
  await execute({ schema, document: parse('{ field }') })
  const leftOut = ['path', 'rootValue', 'variableValues']
  const known = ['fieldName', 'fieldNodes', 'returnType', 'parentType', 'schema', 'fragments', 'operation']
  expect([...seen].sort()).toEqual([...known, ...leftOut].sort())
})

test('a list is whatever can be iterated and is no string; of these, only arrays are compiled', async () => {
  const schema = buildSchema('type Query { list: [Int] }')
  const listOf = async (list: unknown) =>
    (await execute({ schema, document: parse('{ list }'), rootValue: { list } })).data
  expect(await listOf(new Set([1]))).toEqual({ list: [1] })
  expect(await listOf([1])).toEqual({ list: [1] })
  expect(await listOf('1')).toEqual({ list: null })
})

test('an error of a field is located once, and keeps the path it has', () => {
  const once = locatedError(new Error('x'), [], ['a'])
  expect(locatedError(once, [], ['b'])).toBe(once)
  expect(once).toBeInstanceOf(GraphQLError)
})
