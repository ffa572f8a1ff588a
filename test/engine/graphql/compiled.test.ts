import * as fc from 'fast-check'
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  getVariableValues,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import type { Run } from '../../../src/engine/graphql/compiled-values.ts'
import { compileVariables } from '../../../src/engine/graphql/compiled-variables.ts'
import { createMetrics } from '../../../src/observability/metrics.ts'
import { createOperationLog } from '../../../src/observability/operation-log.ts'
import { chargeLoads } from '../../../src/transport/documents/load-costs.ts'
import { createErrorMapper } from '../../../src/transport/execution/errors.ts'
import { createExecute } from '../../../src/transport/execution/execute.ts'
import { createOperations } from '../../../src/transport/execution/operations.ts'
import { createOutcome } from '../../../src/transport/execution/outcome.ts'
import { createPlans, type Plan } from '../../../src/transport/execution/plans.ts'
import { createReference as createFallback } from '../../../src/transport/execution/reference.ts'
import { realClock } from '../../transport/kit.ts'
import { createEverything, texts } from './compiled-schema.ts'

type Variables = Record<string, unknown>
type Row = [about: string, document: string, variables?: Variables]

const silent = pino({ level: 'silent' })
const errors = createErrorMapper(silent, () => 'an error id')
const run = (variables: Variables): Run => ({ context: {}, variables, isPersonal: false })

/** As graphql-js answers, on a schema of which nothing was touched but that its lists are charged, which takes them a turn. */
function createReference() {
  const { schema, calls } = createEverything()
  chargeLoads(schema)
  return {
    calls,
    async answer(document: DocumentNode, variableValues: Variables | undefined): Promise<string> {
      expect(validate(schema, document)).toEqual([])
      const options = { maxCoercionErrors: 3 }
      const result: ExecutionResult = await execute({
        schema,
        document,
        contextValue: {},
        options,
        ...(variableValues && { variableValues }),
      })
      const map = 'data' in result ? errors.toGraphQLError : errors.toRequestError
      return JSON.stringify(result.errors ? { ...result, errors: result.errors.map(map) } : result)
    },
  }
}

function createCompiling() {
  const { schema, calls } = createEverything()
  const metrics = createMetrics(new Registry())
  const planOf = createPlans(schema, 'compiled', { guardsInfo: true })
  const execute = createExecute({
    reference: createFallback({ schema, createContext: () => ({}) }),
    outcome: createOutcome(errors, undefined),
    operations: createOperations(realClock),
    log: createOperationLog(realClock, silent, metrics),
    admission: { admit: () => undefined },
  })
  return {
    schema,
    calls,
    planFor(document: DocumentNode): Plan {
      const plan = planOf(document, undefined)
      if (!plan) throw new Error('There is no operation.')
      return plan
    },
    answer: (plan: Plan, variables: Variables | undefined) =>
      execute({ plan, variables, context: { transport: 'ws' } }),
  }
}

const reference = createReference()
const compiling = createCompiling()

async function expectSame(source: string, variables: Variables | undefined): Promise<string> {
  const document = parse(source)
  const plan = compiling.planFor(document)
  const { json } = await compiling.answer(plan, variables)
  expect(json).toBe(await reference.answer(document, variables))
  return json
}

const thing = (fields: string) => `{ thing { ${fields} } }`
const echo = `thing { echo(text: $text, times: $times, tags: $tags, pick: $pick, shape: $shape, colour: $colour) }`
const echoes = `query ($text: String, $times: Int! = 2, $tags: [String!], $pick: Pick, $shape: Shape, $colour: Colour = GREEN) { ${echo} }`
const rootEchoes = echoes.replace(/thing \{ (.*) \} \}/, '$1 }')

const well: Row[] = [
  ['leaves', thing('id numberId name number zero nothing ratio flag trueNumber colour anything')],
  ['lists', thing('tags holes matrix')],
  ['what has to be waited for', thing('a: id laterText later { id laterText } laterNothing { id } b: id promises')],
  ['lists of objects, now and later', thing('things { id laterText } laterThings { id }')],
  ['a list at the root', '{ things { id later { id } } }'],
  ['a leaf at the root', '{ number }'],
  ['a list of leaves at the root', '{ list }'],
  ['nothing at the root', '{ maybe { id } }'],
  ['a root that has to be waited for', '{ later { id self { id } } }'],
  ['a root to be waited for that is no Promise', '{ thenable { numberId nothing } }'],
  ['an alias', '{ first: thing { one: id two: id name: number } }'],
  ['__typename', thing('__typename self { kind: __typename }')],
  ['a field twice, merged', thing('self { id } name self { name id later { id } } self { later { name } }')],
  [
    'a fragment',
    `${thing('...Parts ...Parts name')} fragment Parts on Thing { id self { ...Deeper } } fragment Deeper on Thing { id }`,
  ],
  ['a fragment on an interface', `${thing('...Known id')} fragment Known on Named { name __typename }`],
  ['an inline fragment without a type', thing('... { id ... { name } } ... on Thing { number } ... on Named { name }')],
  [
    'fragments within an interface, on another type',
    thing('id ... on Named { ... on Other { other } ... on Thing { number } }'),
  ],
  ['an object of which nothing is asked in the end', thing('id self { ... on Named { ... on Other { other } } } name')],
  [
    'literals',
    thing(
      'echo(text: "a \\"b\\"", times: 4, tags: ["x"], pick: { number: 1 }, shape: { name: "s", grid: [[1], null] }, colour: RED)',
    ),
  ],
  ['defaults of arguments', thing('echo')],
  ['null for an argument with a default', thing('echo(text: null, tags: null)')],
  ['one for a list', thing('echo(tags: "x")')],
  ['variables that are absent', echoes],
  ['variables that are null', echoes, { text: null, tags: null, pick: null, shape: null, colour: null }],
  ['variables', echoes, { text: '"', times: 9, tags: ['a'], pick: { text: 'x' }, colour: 'RED' }],
  ['variables of a root field', rootEchoes, { text: 'x', shape: { name: 's' } }],
  ['absent variables of a root field', rootEchoes, {}],
  [
    'input objects with defaults',
    echoes,
    { shape: { name: 's', tags: 'one', inner: { name: 't', size: 1, colour: null } } },
  ],
  [
    'nested lists',
    echoes,
    { shape: { name: 's', grid: [[1, null], null, []], ids: [1, 'two'], ratio: 3, anything: { x: 1 } } },
  ],
  ['a variable that nobody asks for', echoes, { unknown: 1 }],
  [
    'one variable inside a literal',
    'query ($n: Int!, $t: [String!]) { thing { echo(pick: { number: $n }, tags: $t) } }',
    { n: 1 },
  ],
  ['variables in a list literal', 'query ($t: String!) { thing { echo(tags: ["a", $t]) } }', { t: 'b' }],
  [
    'variables in an object literal',
    'query ($t: String! $s: Int) { echo(shape: { name: $t, grid: [[$s]] }) }',
    { t: 'b' },
  ],
  [
    'absent variables with the names of what every object has',
    'query ($constructor: String, $toString: Shape, $valueOf: [String!]) { thing { echo(text: $constructor, shape: $toString, tags: $valueOf) } }',
  ],
  [
    'the same at the root',
    'query ($constructor: String, $hasOwnProperty: [String!]) { echo(text: $constructor, tags: $hasOwnProperty) }',
    { hasOwnProperty: ['given'] },
  ],
  ['an alias named __proto__', '{ __proto__: thing { __proto__: id constructor: name } }'],
  ...Object.keys(texts).map((of): Row => [`a text: ${of}`, thing(`text(of: "${of}")`)]),
]

/** More than a thousand fields, of ten fragments. */
const doubling = Array.from({ length: 9 }, (_, i) => {
  const next = i === 8 ? 'id' : `...F${i + 1}`
  return `fragment F${i} on Thing { a: self { ${next} } b: self { ${next} } }`
})

const leftToGraphQL: Row[] = [
  ['fragments that double at each level', `${thing('...F0')} ${doubling.join(' ')}`],
  [
    '@skip and @include',
    'query ($no: Boolean!) { thing { id @skip(if: true) name @include(if: $no) number } }',
    { no: false },
  ],
  ['a directive on a fragment', `${thing('id ... @include(if: false) { name }')}`],
  ['a field of an interface', thing('named { name __typename ... on Other { other } }')],
  ['an interface at the root', '{ named { name ... on Thing { id } } }'],
  ['several root fields', '{ thing { id } number }'],
  ['__typename at the root', '{ __typename }'],
  [
    'a variable named __proto__',
    'query ($__proto__: Shape) { echo(shape: $__proto__) }',
    JSON.parse('{ "__proto__": { "name": "s" } }'),
  ],
  ['introspection', '{ __type(name: "Pick") { name } }'],
]

const unwell: Row[] = [
  ['a resolver that throws', thing('id throws name')],
  ['one that throws where there must be something', thing('id throwsStrictly')],
  ['the same deep below something that may be null', thing('id broken { self { throwsStrictly } } name')],
  ['the same deep below what may not', thing('id brokenStrictly { laterText self { rejectsStrictly } } name')],
  ['a resolver that rejects', thing('id rejects name')],
  ['one that rejects where there must be something', thing('laterText rejectsStrictly')],
  ['several that fail', thing('throws rejects outOfRange badColour')],
  ['nothing where there must be something', thing('missing')],
  ['nothing after a while where there must be something', thing('id laterMissing')],
  ['an integer that is too large', thing('id outOfRange')],
  ['an integer that is none', thing('fraction')],
  ['an unknown colour', thing('badColour')],
  ['a list with one bad item', thing('id badItem')],
  ['a list with nothing where there must be something', thing('id badStrictItem')],
  ['a list of which one is rejected', thing('id rejectedItem')],
  ['something that is no list', thing('id noList')],
  ['things that fail in a list', thing('things { throws laterThings { badItem } }')],
  ['a root that throws', '{ throws { id } }'],
  ['a root that throws where there must be something', '{ known: throwsStrictly { id } }'],
  ['a root that rejects', '{ rejects { id } }'],
  ['a root that rejects where there must be something', '{ rejectsStrictly { id } }'],
  ['a root that is nothing where there must be something', '{ missing { id } }'],
  ['a root that refuses', '{ refused { id } }'],
  ['a root twice, that throws', '{ throws { id } throws { name } }'],
  ['an absent variable that is required', 'query ($t: String!) { echo(text: $t) }'],
  ['null for a variable that is required', 'query ($t: String!) { echo(text: $t) }', { t: null }],
  ['null where an argument has a default but must not be null', 'query ($n: Int) { echo(times: $n) }', { n: null }],
  ['the same below the root', 'query ($n: Int) { thing { id echo(times: $n) } }', { n: null }],
  ['variables of the wrong types', echoes, { text: 1, times: 'x', tags: [1] }],
  ['one of none', echoes, { pick: {} }],
  ['one of two', echoes, { pick: { number: 1, text: 'x' } }],
  ['one of a null', echoes, { pick: { number: null } }],
  ['a field that an input does not have', echoes, { shape: { name: 's', other: 1 } }],
  ['an input without what it needs', echoes, { shape: { inner: { name: 't' } } }],
  ['an input that is a list', echoes, { shape: [] }],
  ['a scalar that says no', echoes, { shape: { name: 's', anything: 'nothing' } }],
  ['a colour that is none', echoes, { colour: 'BLUE' }],
]

/** Well, but in a way that is left to graphql-js where it shows. */
const odd: Row[] = [
  ['a list that is no array', thing('id iterable')],
  ['a method', thing('id method')],
  ['one object for a list of them', 'query ($s: [Shape!]) { echo(shapes: $s) }', { s: { name: 's' } }],
]

describe('a compiled operation answers byte for byte as graphql-js does', () => {
  test.each(well)('%s', async (_about, source, variables) => {
    const json = await expectSame(source, variables)
    expect(json).not.toContain('"errors"')
    const compiled = compiling.planFor(parse(source)).compiled
    const coerced = compiled?.coerce(variables)
    if (!compiled || !coerced) throw new Error('This was left to graphql-js.')
    const value = await compiled.resolve(undefined, run(coerced))
    expect(`{"data":${await compiled.write(value, run(coerced))}}`).toBe(json)
  })

  test.each(leftToGraphQL)('%s, which is left to it', async (_about, source, variables) => {
    expect(compiling.planFor(parse(source)).compiled).toBeUndefined()
    expect(await expectSame(source, variables)).not.toContain('"errors"')
  })

  test.each(unwell)('%s, with its errors', async (_about, source, variables) => {
    expect(compiling.planFor(parse(source)).compiled).toBeDefined()
    expect(await expectSame(source, variables)).toContain('"errors"')
  })

  test.each(odd)('%s', async (_about, source, variables) => {
    expect(compiling.planFor(parse(source)).compiled).toBeDefined()
    expect(await expectSame(source, variables)).not.toContain('"errors"')
  })

  test('the executor is chosen once, by what the document is', () => {
    const planOf = createPlans(createEverything().schema)
    const [ordinary, other] = [parse('{ number }'), parse('{ number again: number }')]
    const { compiled } = planOf(ordinary, undefined) ?? {}
    expect(compiled).toBeDefined()
    expect(planOf(ordinary, undefined)?.compiled).toBe(compiled)
    expect(planOf(other, undefined)?.compiled).toBeUndefined()
  })

  test('a resolver that looks at what compiled operations do not tell it hears so in tests', () => {
    const { schema } = createEverything()
    Object.assign(schema.getQueryType()?.getFields().number ?? {}, {
      resolve: (_root: unknown, _args: unknown, _context: unknown, info: { fieldName: string; path: unknown }) =>
        info.fieldName === 'number' && info.path,
    })
    const compiled = createPlans(schema, 'compiled', { guardsInfo: true })(parse('{ number }'), undefined)?.compiled
    expect(() => compiled?.resolve(undefined, run({}))).toThrow('has no info.path')
  })

  test('nothing is compiled where graphql-js is to execute everything', () => {
    const planOf = createPlans(createEverything().schema, 'reference')
    expect(planOf(parse('{ number }'), undefined)?.compiled).toBeUndefined()
  })
})

describe('a mutation whose answer cannot be written', () => {
  test.each<Row>([
    ['a field throws', 'mutation { make(name: "x") { id name throws } }'],
    ['a field throws where there must be something', 'mutation { make(name: "x") { throwsStrictly } }'],
    ['a field rejects later', 'mutation { makeLater(name: "x") { id rejects laterText } }'],
    ['a field is missing', 'mutation { makeLater(name: "x") { missing } }'],
    ['the mutation itself throws', 'mutation { fail { id } }'],
  ])('is made once, and answered as graphql-js does: %s', async (_about, source) => {
    const before = { ...compiling.calls }
    const referenceBefore = { ...reference.calls }
    expect(await expectSame(source, undefined)).toContain('"errors"')
    const [name = ''] = /\w+(?=[ (].*\{)/.exec(source.slice('mutation { '.length)) ?? []
    const made = (now: Variables, then: Variables) => Number(now[name]) - Number(then[name] ?? 0)
    expect(made(reference.calls, referenceBefore)).toBe(1)
    expect(made(compiling.calls, before)).toBe(1)
  })

  test('shows what was made, not what would be made again', async () => {
    const json = await expectSame('mutation ($n: String!) { make(name: $n) { name throws } }', { n: 'as asked' })
    expect(json).toContain('"as asked"')
  })
})

// ---------------------------------------------------------------- variables

const source = `query ($shape: Shape!, $shapes: [Shape!], $pick: Pick, $numbers: [Int!] = [1], $colour: Colour = GREEN, $text: String! = "x",
  $id: ID, $flag: Boolean!) { number }`
const definition = parse(source).definitions[0] as OperationDefinitionNode

/** Scalars where an object or a list may be expected, or other scalars. An object in the place of a list is left to graphql-js. */
const junk = fc.constantFrom<unknown>(null, undefined, true, 0, -1, 1.5, 2 ** 31, Number.NaN, '', 'x', 'RED', '1', [])
const mostly = (values: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 60, arbitrary: values }, { weight: 1, arbitrary: junk })
const listOf = (values: fc.Arbitrary<unknown>) => mostly(fc.oneof(fc.array(values, { maxLength: 3 }), values))
const someOf = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.oneof(
    {
      weight: 60,
      arbitrary: fc.record(fields, { requiredKeys: ['name', 'flag', 'shape'].filter((name) => name in fields) }),
    },
    { weight: 1, arbitrary: fc.record({ ...fields, unknown: junk }, { requiredKeys: [] }) },
  )

const number = mostly(fc.integer())
const text = mostly(fc.string({ maxLength: 5 }))
const colour = mostly(fc.constantFrom('RED', 'GREEN'))
const onePick = fc.oneof(fc.record({ number }), fc.record({ text }))
const pick = mostly(fc.oneof({ weight: 30, arbitrary: onePick }, { weight: 1, arbitrary: someOf({ number, text }) }))
const { shape } = fc.letrec((tie) => ({
  shape: mostly(
    someOf({
      name: text,
      size: number,
      colour,
      tags: listOf(text),
      grid: listOf(listOf(number)),
      ids: listOf(fc.oneof(text, number)),
      ratio: mostly(fc.double({ noNaN: true })),
      flag: mostly(fc.boolean()),
      anything: mostly(fc.constant('something')),
      pick,
      inner: fc.oneof({ maxDepth: 2 }, fc.constant(null), tie('shape')),
    }),
  ),
}))
const variablesOfAnySort = someOf({
  shape,
  shapes: mostly(fc.array(shape, { maxLength: 2 })),
  pick,
  numbers: listOf(number),
  colour,
  text,
  id: fc.oneof(text, number),
  flag: mostly(fc.boolean()),
}) as fc.Arbitrary<Variables>

describe('compiled variables', () => {
  const { schema } = createEverything()
  const coerce = compileVariables(schema, definition)

  test('come to what graphql-js makes of them, and to nothing exactly where it complains', async () => {
    const seen = { well: 0, refused: 0 }
    await fc.assert(
      fc.property(variablesOfAnySort, (given) => {
        const { coerced } = getVariableValues(schema, definition.variableDefinitions ?? [], given) as {
          coerced?: Variables
        }
        seen[coerced ? 'well' : 'refused'] += 1
        expect(coerce?.(given)).toStrictEqual(coerced)
      }),
      { numRuns: 1000 },
    )
    expect(Math.min(seen.well, seen.refused)).toBeGreaterThan(100)
  })

  test('that have a default of the wrong type are left to graphql-js', () => {
    const [wrong] = parse('query ($n: Int = "x") { number }').definitions
    expect(compileVariables(schema, wrong as OperationDefinitionNode)).toBeUndefined()
  })

  test('that are one object for a list of them are left to graphql-js, which takes them', () => {
    const given = { shape: { name: 's' }, flag: true, shapes: { name: 't' } }
    expect(getVariableValues(schema, definition.variableDefinitions ?? [], given)).not.toHaveProperty('errors')
    expect(coerce?.(given)).toBeUndefined()
  })
})
