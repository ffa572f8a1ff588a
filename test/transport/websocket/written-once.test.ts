import { buildSchema, type GraphQLObjectType, type OperationDefinitionNode, parse } from 'graphql'
import { expect, test } from 'vitest'
import { compileOperation } from '../../../src/engine/graphql/compiled-operation.ts'
import { chargeLoads } from '../../../src/transport/documents/load-costs.ts'
import { createPlans } from '../../../src/transport/execution/plans.ts'

/** A page that two viewers are given, the very same object, and how often its own text was looked for. */
function createShelf() {
  const schema = buildSchema(/* GraphQL */ `
    type Query { page: Page! other: Other! }
    type Page { text: String! own: String! sometimes: String! author: String! echo(text: String): String! later: String! inner: Inner! }
    type Inner { text: String! own: String! }
    type Other { text: String! }
  `)
  const page = {}
  let written = 0
  const next = () => {
    written += 1
    return written
  }
  const [query, ...types] = ['Query', 'Page', 'Inner', 'Other'].map((name) => schema.getType(name) as GraphQLObjectType)
  const viewerOf = (_source: unknown, _args: unknown, viewer: { name: string }) => viewer.name
  for (const type of types) {
    for (const field of Object.values(type.getFields())) {
      field.resolve = viewerOf
      field.extensions = field.name === 'own' ? {} : { sameForAll: true }
    }
  }
  const fields = types[0]?.getFields() ?? {}
  Object.assign(fields.text ?? {}, { resolve: () => `text ${next()}` })
  Object.assign(fields.later ?? {}, { resolve: async () => `later ${next()}` })
  Object.assign(fields.echo ?? {}, { resolve: (_source: unknown, { text }: { text: string }) => text })
  Object.assign(fields.inner ?? {}, { resolve: () => ({}) })
  Object.assign(fields.sometimes ?? {}, { extensions: { sameForAll: () => false } })
  Object.assign(fields.author ?? {}, { extensions: { sameForAll: true, exceptAuthor: true } })
  Object.assign(types[0] ?? {}, { extensions: { writtenOnce: true } })
  for (const each of Object.values(query?.getFields() ?? {})) each.resolve = () => page

  return async (selection: string, variables: Record<string, unknown> = {}) => {
    const head = selection.includes('$text') ? 'query ($text: String)' : ''
    const document = parse(`${head} { ${selection} }`)
    const compiled = compileOperation(schema, new Map(), document.definitions[0] as OperationDefinitionNode)
    if (!compiled) throw new Error('It was not compiled.')
    const readBy = async (name: string, given = variables) => {
      const run = { context: { name, loaded: 0 }, variables: given, isPersonal: false }
      return compiled.write(await compiled.resolve(undefined, run), run)
    }
    return { readBy }
  }
}

test('what is the same for all is written once for an object that several are given', async () => {
  const { readBy } = await createShelf()('page { text inner { text } }')
  const first = await readBy('alice')
  expect(first).toBe('{"page":{"text":"text 1","inner":{"text":"alice"}}}')
  expect(await readBy('bob')).toBe(first)
})

test.each(['own', 'sometimes', 'author', 'inner { own }', 'inner { text own }', '... { own }'])(
  'what holds %s is written for each viewer',
  async (field) => {
    const { readBy } = await createShelf()(`page { text ${field} }`)
    expect(await readBy('alice')).toContain('alice')
    expect(await readBy('bob')).not.toContain('alice')
    expect(await readBy('bob')).toContain('bob')
  },
)

test('what depends on variables is written for each', async () => {
  const { readBy } = await createShelf()('page { echo(text: $text) }')
  expect(await readBy('alice', { text: 'a' })).toBe('{"page":{"echo":"a"}}')
  expect(await readBy('alice', { text: 'b' })).toBe('{"page":{"echo":"b"}}')
})

test('what has to be waited for, and what other types hold, is written each time', async () => {
  const shelf = createShelf()
  const later = await shelf('page { later }')
  expect([await later.readBy('alice'), await later.readBy('alice')]).toEqual([
    '{"page":{"later":"later 1"}}',
    '{"page":{"later":"later 2"}}',
  ])
  const other = await shelf('other { text }')
  expect([await other.readBy('alice'), await other.readBy('bob')]).toEqual([
    '{"other":{"text":"alice"}}',
    '{"other":{"text":"bob"}}',
  ])
})

test('each selection has a text of its own', async () => {
  const shelf = createShelf()
  const [one, other] = [await shelf('page { text }'), await shelf('page { a: text }')]
  expect([await one.readBy('alice'), await other.readBy('alice'), await one.readBy('bob')]).toEqual([
    '{"page":{"text":"text 1"}}',
    '{"page":{"a":"text 2"}}',
    '{"page":{"text":"text 1"}}',
  ])
})

test('what was written for one viewer costs the next one as much as it cost the first', async () => {
  const schema = buildSchema('type Query { page: Page! } type Page { texts: [Text!]! } type Text { text: String! }')
  const types = ['Page', 'Text'].map((name) => schema.getType(name) as GraphQLObjectType)
  for (const type of types) {
    for (const field of Object.values(type.getFields())) Object.assign(field, { extensions: { sameForAll: true } })
  }
  Object.assign(types[0] ?? {}, { extensions: { writtenOnce: true } })
  const page = { texts: Array.from({ length: 100 }, () => ({ text: 'hi' })) }
  Object.assign(schema.getQueryType()?.getFields().page ?? {}, { resolve: () => page })
  chargeLoads(schema)
  const document = parse('{ page { texts { text } } }')
  const compiled = createPlans(schema)(document, undefined)?.compiled
  const costOf = async () => {
    const run = { context: { loaded: 0 }, variables: {}, isPersonal: false }
    await compiled?.write(await compiled.resolve(undefined, run), run)
    return run.context.loaded
  }
  expect([await costOf(), await costOf()]).toEqual([200, 200])
})
