// The compiled executor against graphql-js, on documents that nobody has thought of: fields of every kind, those that fail among them,
// with aliases, fragments, directives, arguments and variables.

import * as fc from 'fast-check'
import { type ExecutionResult, execute, parse, validate } from 'graphql'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createMetrics } from '../../../src/observability/metrics.ts'
import { createOperationLog } from '../../../src/observability/operation-log.ts'
import { chargeLoads } from '../../../src/transport/documents/load-costs.ts'
import { createErrorMapper } from '../../../src/transport/execution/errors.ts'
import { createExecute } from '../../../src/transport/execution/execute.ts'
import { createOperations } from '../../../src/transport/execution/operations.ts'
import { createOutcome } from '../../../src/transport/execution/outcome.ts'
import { createPlans } from '../../../src/transport/execution/plans.ts'
import { createReference } from '../../../src/transport/execution/reference.ts'
import { realClock } from '../../transport/kit.ts'
import { createEverything, texts } from './compiled-schema.ts'

type Variables = Record<string, unknown>

const leaves = [
  ...['id', 'numberId', 'name', 'number', 'zero', 'nothing', 'ratio', 'flag', 'trueNumber', 'colour', 'anything'],
  ...['tags', 'holes', 'matrix', 'laterText', 'promises', '__typename'],
]
/** What graphql-js has a say in: it fails, or comes to something odd. */
const wrong = [
  ...['throws', 'throwsStrictly', 'rejects', 'rejectsStrictly', 'missing', 'laterMissing', 'outOfRange', 'fraction'],
  ...['badColour', 'badItem', 'badStrictItem', 'rejectedItem', 'noList', 'iterable', 'method'],
]
const objects = ['self', 'later', 'laterNothing', 'things', 'laterThings', 'broken', 'brokenStrictly']
const roots = ['thing', 'maybe', 'later', 'thenable', 'things', 'throws', 'throwsStrictly', 'rejects', 'missing']
const values = ['text: "a"', 'text: $text', 'text: null', 'times: $times', 'tags: ["x", $text]', 'pick: { number: $n }']
const directives = ['@skip(if: $yes)', '@include(if: $yes)', '@include(if: true)']
const variables: Variables = { text: 't', times: 2, n: 1, yes: true }

const rarely = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, weight = 12) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare })

const echo = fc.subarray(values, { maxLength: 3 }).map((given) => {
  const byName = new Map(given.map((each) => [each.split(':', 1)[0], each]))
  return byName.size === 0 ? 'echo' : `echo(${[...byName.values()].join(', ')})`
})
const text = fc.constantFrom(...Object.keys(texts)).map((of) => `text(of: "${of}")`)
const leaf = rarely(fc.oneof(fc.constantFrom(...leaves), echo, text), fc.constantFrom(...wrong))

/** Every field under an alias of its own: what may be merged is written twice on purpose. */
const { selection } = fc.letrec<{ selection: string; field: string }>((tie) => ({
  selection: fc.array(tie('field'), { minLength: 1, maxLength: 4 }).map((fields) => fields.join(' ')),
  field: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.tuple(fc.constantFrom(...objects), tie('selection')).map(([name, fields]) => `${name} { ${fields} }`),
    fc.tuple(fc.constantFrom(...objects), tie('selection')).map(([name, fields]) => `${name} { ${fields} }`),
    fc.constantFrom('...Parts', '...Known'),
    fc
      .tuple(fc.constantFrom('', 'on Thing', 'on Named'), leaf)
      .map(([on, name]) => (on === 'on Named' ? '... on Named { name __typename }' : `... ${on} { ${name} }`)),
  ),
}))

const root = fc.tuple(rarely(fc.constantFrom('thing', 'later', 'things'), fc.constantFrom(...roots), 4), selection)
const query = rarely(
  root.map(([name, fields]) => `query Q { ${name} { ${fields} } }`),
  fc.oneof(
    root.map(([name, fields]) => `query Q { ${name} { ${fields} } number }`),
    fc
      .tuple(fc.constantFrom(...directives), root)
      .map(([directive, [name, fields]]) => `query Q { ${name} { id ${directive} ${fields} } }`),
    root.map(([, fields]) => `mutation Q { make(name: "made") { ${fields} } }`),
  ),
  6,
)
const fragments: Record<string, string> = {
  Parts: 'fragment Parts on Thing { id tags self { laterText ...Known } }',
  Known: 'fragment Known on Named { name }',
}
const types: Record<string, string> = { text: 'String!', times: 'Int! = 3', n: 'Int!', yes: 'Boolean!' }

/** With an alias for each field that has arguments, and with the variables and fragments that are used, no more. */
function documentOf(body: string): string {
  let aliases = 0
  const aliased = body.replace(/\b(echo|text)\(/g, (call) => {
    aliases += 1
    return `a${aliases}: ${call}`
  })
  const used = aliased.includes('...Parts') ? ['Parts', 'Known'] : aliased.includes('...Known') ? ['Known'] : []
  const names = Object.keys(types).filter((name) => aliased.includes(`$${name}`))
  const declared = names.length > 0 ? `(${names.map((name) => `$${name}: ${types[name]}`).join(', ')})` : ''
  return [aliased.replace(' Q ', ` Q${declared} `), ...used.map((name) => fragments[name])].join(' ')
}

test('random documents are answered byte for byte as graphql-js does', async () => {
  const silent = pino({ level: 'silent' })
  const errors = createErrorMapper(silent, () => 'an error id')
  const theirs = createEverything().schema
  chargeLoads(theirs)
  const ours = createEverything().schema
  const planOf = createPlans(ours)
  const run = createExecute({
    reference: createReference({ schema: ours, createContext: () => ({}) }),
    outcome: createOutcome(errors, undefined),
    operations: createOperations(realClock),
    log: createOperationLog(realClock, silent, createMetrics(new Registry())),
    admission: { admit: () => undefined },
  })
  const seen = { compiled: 0, left: 0, withErrors: 0, well: 0 }

  await fc.assert(
    fc.asyncProperty(query.map(documentOf), async (source) => {
      const document = parse(source)
      expect(validate(theirs, document)).toEqual([])
      const plan = planOf(document, undefined)
      if (!plan) throw new Error('There is no operation.')
      seen[plan.compiled ? 'compiled' : 'left'] += 1
      const result: ExecutionResult = await execute({
        schema: theirs,
        document,
        contextValue: {},
        variableValues: variables,
      })
      const mapped = result.errors ? { ...result, errors: result.errors.map(errors.toGraphQLError) } : result
      seen[result.errors ? 'withErrors' : 'well'] += 1
      const { json } = await run({ plan, variables, context: { transport: 'ws' } })
      expect(json).toBe(JSON.stringify(mapped))
    }),
    { numRuns: 500 },
  )
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(20)
})
