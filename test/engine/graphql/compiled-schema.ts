// A schema that has something of everything an operation may ask for, and values that are well, odd and wrong.

import { buildSchema, type GraphQLObjectType, type GraphQLScalarType, type GraphQLSchema } from 'graphql'
import { ChatError } from '../../../src/protocol/errors.ts'

const sdl = /* GraphQL */ `
  interface Named { name: String! }
  enum Colour { RED GREEN }
  scalar Anything
  input Pick @oneOf { number: Int, text: String }
  input Shape {
    name: String!
    size: Int! = 3
    colour: Colour = RED
    tags: [String!] = ["a"]
    grid: [[Int]]
    ids: [ID!]
    ratio: Float
    flag: Boolean
    anything: Anything
    pick: Pick
    inner: Shape
  }
  type Other implements Named { name: String! other: Int }
  type Thing implements Named {
    id: ID!
    numberId: ID
    name: String!
    text(of: String!): String
    number: Int!
    zero: Int
    nothing: String
    ratio: Float
    flag: Boolean
    trueNumber: Int
    colour: Colour!
    anything: Anything
    tags: [String!]!
    holes: [String]
    matrix: [[Int]]
    iterable: [Int]
    method: String
    self: Thing!
    later: Thing!
    laterNothing: Thing
    laterText: String!
    things: [Thing!]!
    laterThings: [Thing!]!
    promises: [String]!
    named: Named!
    echo(text: String = "by default", times: Int! = 1, tags: [String!], pick: Pick, shape: Shape, shapes: [Shape!], colour: Colour): String!
    throws: String
    throwsStrictly: String!
    rejects: String
    rejectsStrictly: String!
    missing: String!
    laterMissing: String!
    outOfRange: Int
    fraction: Int
    badColour: Colour
    badItem: [Int]
    badStrictItem: [Int!]
    rejectedItem: [String]
    noList: [Int]
    broken: Thing
    brokenStrictly: Thing!
  }
  type Query {
    thing: Thing!
    maybe: Thing
    later: Thing!
    thenable: Thing!
    things: [Thing!]!
    number: Int!
    list: [Int]
    named: Named!
    echo(text: String = "by default", times: Int! = 1, tags: [String!], pick: Pick, shape: Shape, shapes: [Shape!], colour: Colour): String!
    throws: Thing
    throwsStrictly: Thing!
    rejects: Thing
    rejectsStrictly: Thing!
    missing: Thing!
    refused: Thing
  }
  type Mutation { make(name: String!): Thing! makeLater(name: String!): Thing fail: Thing }
`

const thrown = () => {
  throw new Error('thrown')
}
const rejected = async () => thrown()
/** As the resolver got them: what is no JSON shows too. */
const shown = (args: object) =>
  JSON.stringify(args, (_name, value) => (typeof value === 'function' ? 'a function' : value))

export const texts: Record<string, string> = {
  plain: 'abc',
  empty: '',
  quotes: '"quoted" \\ and slashed',
  control: 'a\u0000b\u001f\n\t\u007f\u0080',
  lone: 'half \ud83d of a pair',
  otherHalf: '\udc00',
  emoji: '👩‍👩‍👧 and ü',
  separators: '\u2028\u2029\ufeff\uffff',
  long: `${'x'.repeat(60)}"\u0001\ud800`,
  longPlain: 'y'.repeat(5000),
  exactly48: 'z'.repeat(48),
}

function createThing(depth = 0): object {
  return {
    id: `t${depth}`,
    numberId: 42,
    name: 'a "thing"',
    number: -7,
    zero: -0,
    nothing: undefined,
    ratio: 0.1,
    flag: false,
    trueNumber: true,
    colour: 'GREEN',
    anything: { deep: [1, 'two', null] },
    tags: ['a', '"b"'],
    holes: ['a', null, undefined],
    matrix: [[1, null], null, []],
    iterable: new Set([1, 2]),
    method: () => 'by a method',
    outOfRange: 2 ** 31,
    fraction: 1.5,
    badColour: 'BLUE',
    badItem: [1, 'two', 3],
    badStrictItem: [1, null, 3],
    noList: 'no list',
    named: { __typename: 'Other', name: 'other', other: 1 },
  }
}

type Calls = Record<string, number>

export function createEverything(): { schema: GraphQLSchema; calls: Calls } {
  const calls: Calls = {}
  const schema = buildSchema(sdl)
  const counted =
    (name: string, value: () => unknown) =>
    (...[_root, args]: [unknown, { name?: string }]) => {
      calls[name] = (calls[name] ?? 0) + 1
      const made = value()
      return args.name && !(made instanceof Promise) ? { ...(made as object), name: args.name } : made
    }
  const resolvers: Record<string, Record<string, unknown>> = {
    Thing: {
      text: (_root: unknown, { of }: { of: string }) => texts[of],
      self: () => createThing(1),
      later: async () => createThing(2),
      laterNothing: async () => null,
      laterText: async () => '"later"',
      things: () => [createThing(3), Promise.resolve(createThing(4))],
      laterThings: async () => [createThing(5), createThing(6)],
      promises: () => [Promise.resolve('a'), 'b', Promise.resolve(null)],
      echo: (_root: unknown, args: object) => shown(args),
      throws: thrown,
      throwsStrictly: thrown,
      rejects: rejected,
      rejectsStrictly: rejected,
      missing: () => null,
      laterMissing: async () => undefined,
      rejectedItem: () => ['a', rejected(), 'c'],
      broken: async () => createThing(7),
      brokenStrictly: () => createThing(8),
    },
    Query: {
      thing: () => createThing(),
      later: async () => createThing(),
      // biome-ignore lint/suspicious/noThenProperty: something to wait for that is no Promise.
      thenable: () => ({ then: (resolve: (value: unknown) => void) => resolve(createThing()) }),
      things: () => [createThing(), createThing(1)],
      number: () => 5,
      list: () => [1, null],
      named: () => ({ __typename: 'Thing', ...createThing() }),
      echo: (_root: unknown, args: object) => shown(args),
      throws: thrown,
      throwsStrictly: thrown,
      rejects: rejected,
      rejectsStrictly: rejected,
      missing: () => null,
      refused: () => {
        throw new ChatError('NOT_FOUND', 'There is no such thing.', { field: 'id' })
      },
    },
    Mutation: {
      make: counted('make', createThing),
      makeLater: counted('makeLater', async () => createThing()),
      fail: counted('fail', thrown),
    },
  }
  for (const [type, fields] of Object.entries(resolvers)) {
    const known = (schema.getType(type) as GraphQLObjectType).getFields()
    for (const [name, resolve] of Object.entries(fields)) Object.assign(known[name] as object, { resolve })
  }
  const anything = schema.getType('Anything') as GraphQLScalarType
  anything.serialize = (value) => ({ of: value })
  anything.parseValue = (value) => {
    if (value === 'nothing') throw new Error('Expected something.')
    return { given: value }
  }
  return { schema, calls }
}
