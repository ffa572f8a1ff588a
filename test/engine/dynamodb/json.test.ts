import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeAnswer, encodeRequest } from '../../../src/engine/dynamodb/json.ts'

type Row = Record<string, unknown>

/** What the SDK would send: its values, and bytes as base64. */
const bySdk = (row: Row): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(marshall(row, { removeUndefinedValues: true }), (_name, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ),
  )

const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, min: -(2 ** 53) + 1, max: 2 ** 53 - 1 }),
  fc.constant(-0),
)
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('\u2028"\\\ud800', ''),
)
// Neither we nor the SDK have such a column; the SDK does not write it.
const name = text.filter((text) => text !== '__proto__')
const bytes = fc.uint8Array({ maxLength: 40 })
const setOf = <T>(member: fc.Arbitrary<T>) =>
  fc.array(member, { minLength: 1, maxLength: 5 }).map((all) => new Set(all))
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(text, number, fc.bigInt(), fc.boolean(), fc.constantFrom(null, undefined), bytes),
    fc.oneof(setOf(text), setOf(number), setOf(fc.bigInt()), setOf(bytes)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: false }),
    fc.dictionary(name, tie('value'), { maxKeys: 5 }).map((fields) => new Map(Object.entries(fields))),
  ),
}))
const row = fc.dictionary(name, value, { maxKeys: 8 })

test('a row is written as the SDK writes it', () => {
  fc.assert(
    fc.property(row, (Item) => {
      expect(JSON.parse(encodeRequest({ Item }))).toEqual({ Item: bySdk(Item) })
    }),
    { numRuns: 300 },
  )
})

test('a row is read as the SDK reads it', () => {
  fc.assert(
    fc.property(row, (Item) => {
      const answer = decodeAnswer(JSON.stringify({ Item: bySdk(Item) }))
      expect(answer).toEqual({ Item: unmarshall(marshall(Item, { removeUndefinedValues: true })) })
    }),
    { numRuns: 300 },
  )
})

test('rows are found wherever a request has some, and everything else goes as it is', () => {
  const row = { seq: 1, gone: undefined }
  const typed = { seq: { N: '1' } }
  const request = {
    TableName: 'a "table"',
    Limit: undefined,
    Key: row,
    ExclusiveStartKey: row,
    ExpressionAttributeValues: { ':row': row },
    ExpressionAttributeNames: { '#s': 'seq' },
    RequestItems: {
      gets: { Keys: [row], ConsistentRead: true },
      writes: [{ PutRequest: { Item: row } }, { DeleteRequest: { Key: row } }],
    },
  }
  expect(JSON.parse(encodeRequest(request))).toEqual({
    TableName: 'a "table"',
    Key: typed,
    ExclusiveStartKey: typed,
    ExpressionAttributeValues: { ':row': { M: typed } },
    ExpressionAttributeNames: { '#s': 'seq' },
    RequestItems: {
      gets: { Keys: [typed], ConsistentRead: true },
      writes: [{ PutRequest: { Item: typed } }, { DeleteRequest: { Key: typed } }],
    },
  })
  expect(encodeRequest({})).toBe('{}')
})

test('rows are found wherever an answer has some', () => {
  const [row, typed] = [() => ({ seq: 1 }), () => ({ seq: { N: '1' } })]
  const answer = {
    Count: 2,
    Attributes: typed(),
    LastEvaluatedKey: typed(),
    Items: [typed(), typed()],
    Responses: { one: [typed()], other: [] },
    UnprocessedKeys: { one: { Keys: [typed()], ConsistentRead: true } },
    UnprocessedItems: { one: [{ PutRequest: { Item: typed() } }, { DeleteRequest: { Key: typed() } }] },
    ConsumedCapacity: { TableName: 'one', CapacityUnits: 1.5 },
  }
  expect(decodeAnswer(JSON.stringify(answer))).toEqual({
    Count: 2,
    Attributes: row(),
    LastEvaluatedKey: row(),
    Items: [row(), row()],
    Responses: { one: [row()], other: [] },
    UnprocessedKeys: { one: { Keys: [row()], ConsistentRead: true } },
    UnprocessedItems: { one: [{ PutRequest: { Item: row() } }, { DeleteRequest: { Key: row() } }] },
    ConsumedCapacity: { TableName: 'one', CapacityUnits: 1.5 },
  })
})

test.each([
  ['NaN', Number.NaN],
  ['infinity', Number.NEGATIVE_INFINITY],
  ['an integer that may have been rounded', 2 ** 53],
  ['an empty set', new Set()],
  ['a set of several types', new Set(['1', 1])],
  ['a date', new Date(0)],
  ['a symbol', Symbol('x')],
])('%s cannot be stored', (_name, value) => {
  expect(() => encodeRequest({ Item: { value } })).toThrow()
})

test.each(['', 'null', '[]', '7', '{"Item":{"a":{}}}', '{"Item":{"a":{"X":"1"}}}', '{"Item":', '<html>'])(
  'an answer of %j is none',
  (text) => {
    expect(() => decodeAnswer(text)).toThrow()
  },
)
