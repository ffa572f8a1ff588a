import fc from 'fast-check'
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'

/** Makes text that has broken things before, and any other text. */
export const awkwardText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud83d',
    '\ufeff',
    '__proto__',
    'constructor',
    '😀'.repeat(50),
    'x'.repeat(5000),
    '-1',
    '1e999',
  ),
)

export type Known = { conversationIds: readonly string[]; userIds: readonly string[]; cursors: readonly string[] }

/** Makes values for an input type. They are mostly right, sometimes nearly, and sometimes not at all. */
function valuesOf(type: GraphQLInputType, known: Known, depth = 0): fc.Arbitrary<unknown> {
  const right = rightValuesOf(type, known, depth)
  return fc.oneof(
    { weight: 8, arbitrary: right },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: anyJson },
  )
}

const anyJson: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' })

function rightValuesOf(type: GraphQLInputType, known: Known, depth: number): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return rightValuesOf(type.ofType as GraphQLInputType, known, depth)
  if (isListType(type)) return fc.array(valuesOf(type.ofType as GraphQLInputType, known, depth + 1), { maxLength: 4 })
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name))
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).map((field) => [field.name, valuesOf(field.type, known, depth + 1)])
    const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type))
    return fc.record(Object.fromEntries(fields), { requiredKeys: required.map(({ name }) => name) as never[] })
  }
  switch (getNamedType(type).name) {
    case 'Int':
      return fc.oneof(fc.integer({ min: -2, max: 120 }), fc.integer(), fc.constantFrom(2 ** 31, -(2 ** 31) - 1, 1.5))
    case 'Boolean':
      return fc.boolean()
    case 'DateTime':
      return fc.oneof(fc.constantFrom('2030-01-01T00:00:00.000Z', '+275760-09-13T00:00:00.000Z'), awkwardText)
    default:
      return fc.oneof(
        fc.constantFrom(...known.conversationIds, ...known.userIds, ...known.cursors, 'id-1', 'hi'),
        awkwardText,
      )
  }
}

export type Operation = { query: string; variables: Record<string, unknown> }

/** Makes an operation that is valid, with values that need not be. */
export function operationOf(schema: GraphQLSchema, known: Known): fc.Arbitrary<Operation> {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((root, i) =>
    Object.values(root?.getFields() ?? {}).map((field) => ({
      field,
      keyword: ['query', 'mutation', 'subscription'][i] ?? '',
    })),
  )
  return fc.constantFrom(...roots).chain(({ field, keyword }) =>
    fc
      .record({
        selection: selectionOf(schema, field, 3),
        values: fc.record(valuesFor(field, known), { requiredKeys: requiredOf(field) as never[] }),
      })
      .map(({ selection, values }) => {
        const declared = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ')
        const passed = field.args.map(({ name }) => `${name}: $${name}`).join(', ')
        const head = declared ? `${keyword} (${declared})` : keyword
        return {
          query: `${head} { ${field.name}${passed && `(${passed})`} ${selection} }`,
          variables: values as Record<string, unknown>,
        }
      }),
  )
}

const valuesFor = (field: GraphQLField<unknown, unknown>, known: Known) =>
  Object.fromEntries(field.args.map(({ name, type }) => [name, valuesOf(type, known)]))

const requiredOf = (field: GraphQLField<unknown, unknown>) =>
  field.args.filter(({ type }) => isNonNullType(type)).map(({ name }) => name)

function selectionOf(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, unknown>,
  depth: number,
): fc.Arbitrary<string> {
  const type = getNamedType(getNullableType(field.type))
  if (!isCompositeType(type)) return fc.constant('')
  if (!isObjectType(type))
    return fc.constantFrom('{ __typename }', '{ ... on Message { id body } ... on User { id name } }')
  return fieldsOf(schema, type, depth).map((inner) => `{ ${inner} }`)
}

function fieldsOf(schema: GraphQLSchema, type: GraphQLObjectType, depth: number): fc.Arbitrary<string> {
  const simple = Object.values(type.getFields()).filter(({ args }) =>
    args.every(({ type: each }) => !isNonNullType(each)),
  )
  const usable = simple.filter(({ type: each }) => depth > 0 || !isCompositeType(getNamedType(each)))
  if (usable.length === 0) return fc.constant('__typename')
  return fc
    .uniqueArray(fc.constantFrom(...usable), { minLength: 1, maxLength: 4, selector: ({ name }) => name })
    .chain((chosen) =>
      fc.tuple(...chosen.map((each) => selectionOf(schema, each, depth - 1).map((inner) => `${each.name} ${inner}`))),
    )
    .map((parts) => parts.join(' '))
}

const tokens = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  ':',
  '!',
  '$',
  '@',
  '...',
  '|',
  '=',
  '"',
  '"""',
  '#',
  ',',
  'on',
  'fragment',
  'query',
  'mutation',
  'subscription',
  'viewer',
  'id',
  'node',
  'messages',
  '@skip(if: true)',
  '@include(if: $x)',
  'true',
  'null',
  '1',
  '-0',
  '1e99',
  '"x"',
  '$x',
  '\ufeff',
  '\n',
  '__typename',
  '__schema { types { name } }',
]

/** Puts words of the language in any order. */
export const tokenSoup: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...tokens) }, { weight: 1, arbitrary: awkwardText }), {
    maxLength: 60,
  })
  .map((words) => words.join(' '))

/** Makes a text in which something was cut, doubled, or put in. */
export const mutated = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.array(fc.tuple(fc.nat(2000), fc.nat(20), awkwardText), { minLength: 1, maxLength: 3 }))
    .map(([whole, cuts]) =>
      cuts.reduce((now, [at, length, put]) => {
        const from = at % (now.length + 1)
        return `${now.slice(0, from)}${put}${now.slice(from + (length % 7))}${length > 15 ? now.slice(0, from) : ''}`
      }, whole),
    )

/** Makes pathological shapes of any size. */
export const monster: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(
      '{a',
      '[',
      '{a:',
      '...{',
      '(a:[',
      '"',
      '"""',
      '#',
      '\\',
      'a:b ',
      '@a ',
      '$a:[',
      '!',
      '\ufeff',
      '&',
      'fragment f on f{...f}',
    ),
    fc.integer({ min: 1, max: 8000 }),
    fc.boolean(),
  )
  .map(([piece, times, closed]) =>
    `{${piece.repeat(times)}${closed ? '}'.repeat(Math.min(times, 5000)) : ''}`.slice(0, 60_000),
  )

const frameTypes = [
  'connection_init',
  'connection_ack',
  'ping',
  'pong',
  'subscribe',
  'next',
  'error',
  'complete',
  'start',
  '',
]
export type Frame = { text: string } | { bytes: Uint8Array; binary: boolean; fin: boolean }

/** Makes one message of the protocol, or something like it, or bytes. */
export const frameOf = (operations: fc.Arbitrary<Operation>, authorization: string): fc.Arbitrary<Frame> => {
  const id = fc.constantFrom('1', '2', '3', '4', '5', '6', '7', '8', '__proto__', 'constructor')
  const message = fc.oneof(
    { weight: 1, arbitrary: fc.constant({ type: 'connection_init', payload: { authorization } } as unknown) },
    {
      weight: 14,
      arbitrary: fc.record({ type: fc.constant('subscribe'), id, payload: operations }) as fc.Arbitrary<unknown>,
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('complete'), id }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('ping'), payload: anyJson }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom(...frameTypes), id: anyJson, payload: anyJson }) },
    { weight: 1, arbitrary: anyJson },
  )
  const text = message.map((value) => JSON.stringify(value) ?? '')
  return fc.oneof(
    { weight: 40, arbitrary: text.map((each) => ({ text: each })) },
    { weight: 2, arbitrary: mutated(text).map((each) => ({ text: each })) },
    { weight: 1, arbitrary: monster.map((each) => ({ text: each })) },
    {
      weight: 1,
      arbitrary: fc.record({ bytes: fc.uint8Array({ maxLength: 200 }), binary: fc.boolean(), fin: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 100_000 }).map((size) => ({ text: ' '.repeat(size) })) },
  )
}

export type HttpRequest = { method: string; path: string; headers: [string, string][]; body: string }

export const httpRequest = (operations: fc.Arbitrary<Operation>, authorization: string): fc.Arbitrary<HttpRequest> => {
  const json = operations.map((operation) => JSON.stringify(operation))
  const headerValue = fc.string({ maxLength: 30 }).map((text) => text.replace(/[^\x20-\x7e]/g, ''))
  const header = fc.oneof(
    fc.constantFrom<[string, string]>(
      ['authorization', authorization],
      ['authorization', 'Bearer x'],
      ['accept', 'text/event-stream'],
      ['accept', 'application/graphql-response+json'],
      ['accept', '*/*;q=0'],
      ['content-type', 'application/json'],
      ['content-type', 'application/json; charset=utf-16'],
      ['content-type', 'multipart/form-data; boundary=x'],
      ['content-encoding', 'gzip'],
      ['origin', 'https://evil.example'],
      ['origin', 'null'],
      ['host', ''],
      ['host', 'a b'],
      ['expect', '100-continue'],
      ['range', 'bytes=0-'],
      ['x-forwarded-for', '1.2.3.4, ::1, x'],
      ['x-forwarded-host', 'evil.example'],
    ),
    fc.tuple(
      fc.constantFrom(
        'accept',
        'content-type',
        'authorization',
        'origin',
        'cookie',
        'x-a',
        'sec-fetch-site',
        'access-control-request-headers',
      ),
      headerValue,
    ),
  )
  return fc.record({
    method: fc.constantFrom('POST', 'POST', 'POST', 'GET', 'HEAD', 'PUT', 'OPTIONS', 'DELETE', 'PATCH', 'TRACE'),
    path: fc.oneof(
      fc.constantFrom(
        '/graphql',
        '/graphql',
        '/messages',
        '/media',
        '/metrics',
        '/healthz',
        '/readyz',
        '/dev/token',
        '/',
        '//',
        '*',
        'http://x/graphql',
      ),
      fc
        .tuple(fc.constantFrom('/graphql', '/media'), fc.webQueryParameters())
        .map(([path, search]) => `${path}?${search}`),
      operations.map(
        ({ query, variables }) => `/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`,
      ),
      fc.webPath(),
    ),
    headers: fc.array(header, { maxLength: 5 }),
    body: fc.oneof(
      { weight: 4, arbitrary: json },
      { weight: 2, arbitrary: mutated(json) },
      { weight: 1, arbitrary: monster },
      { weight: 1, arbitrary: anyJson.map((value) => JSON.stringify(value) ?? '') },
    ),
  })
}
