import type { Row } from './wire.ts'

// Converts between rows and DynamoDB's JSON, in which every value says its type: { seq: 12 } is {"seq":{"N":"12"}}. The text is
// written in one pass and read by JSON.parse. As with the SDK, `undefined` is left out and large integers are read as bigint.

/** A value that is not a row is written as it is. */
export const encodeRequest = (input: object): string => encodeFields(input as Fields, encodeField)

function encodeField(value: unknown, name: string): string {
  if (typeof value === 'string') return quoted(value)
  return (rowsInRequest.get(name) ?? JSON.stringify)(value as never)
}

/** Throws if the text is no JSON object. */
export function decodeAnswer(text: string): Fields {
  const answer: unknown = JSON.parse(text)
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) throw new SyntaxError('Not an object.')
  return decodeFields(answer as Fields)
}

type Typed = Record<string, unknown>
type TypedRow = Record<string, Typed>
type Fields = Record<string, unknown>

// The names of fields are the same in all operations.
const rowsInRequest = new Map<string, (value: never) => string>([
  ['Item', encodeRow],
  ['Key', encodeRow],
  ['ExpressionAttributeValues', encodeRow],
  ['ExclusiveStartKey', encodeRow],
  ['Keys', encodeRows],
  ['RequestItems', encodeTables],
])

const rowsInAnswer = new Map<string, (value: never) => unknown>([
  ['Item', decodeRow],
  ['Key', decodeRow],
  ['Attributes', decodeRow],
  ['LastEvaluatedKey', decodeRow],
  ['Items', decodeRows],
  ['Keys', decodeRows],
  ['Responses', (tables: Record<string, TypedRow[]>) => mapFields(tables, decodeRows)],
  ['UnprocessedKeys', (tables: Record<string, Fields>) => mapFields(tables, decodeFields)],
  [
    'UnprocessedItems',
    (tables: Record<string, Record<string, Fields>[]>) =>
      mapFields(tables, (requests) => requests.map((request) => mapFields(request, decodeFields))),
  ],
])

const mapFields = <A, B>(fields: Record<string, A>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]))

function encodeFields<V>(fields: Readonly<Record<string, V>>, encode: (value: V, name: string) => string): string {
  let text = ''
  for (const name of Object.keys(fields)) {
    const value = fields[name] as V
    if (value !== undefined) text += `${text === '' ? '' : ','}${quotedName(name)}:${encode(value, name)}`
  }
  return `{${text}}`
}

function encodeRow(row: Row): string {
  let text = ''
  for (const name of Object.keys(row)) {
    const value = row[name]
    if (value === undefined) continue
    const written = typeof value === 'string' ? `{"S":${quoted(value)}}` : encodeValue(value)
    text += text === '' ? `${quotedName(name)}:${written}` : `,${quotedName(name)}:${written}`
  }
  return `{${text}}`
}

/** Nearly all keys are names of columns and of fields, so their JSON is remembered. */
const quotedNames = new Map<string, string>()
const quotedNamesMax = 1000

function quotedName(name: string): string {
  const known = quotedNames.get(name)
  if (known !== undefined) return known
  const text = JSON.stringify(name)
  if (quotedNames.size < quotedNamesMax) quotedNames.set(name, text)
  return text
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/

/** Most texts need no more than quotes. */
const quoted = (text: string): string => (escaped.test(text) ? JSON.stringify(text) : `"${text}"`)

function encodeRows(rows: readonly Row[]): string {
  return `[${rows.map(encodeRow).join()}]`
}

/** Writes keys to get, or a list of writes, each `{ PutRequest: { Item } }` or `{ DeleteRequest: { Key } }`. */
function encodeTables(tables: Record<string, Fields | Record<string, Fields>[]>): string {
  return encodeFields(tables, (asked) =>
    Array.isArray(asked)
      ? `[${asked.map((request) => encodeFields(request, encodeRequest)).join()}]`
      : encodeRequest(asked),
  )
}

function encodeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `{"S":${quoted(value)}}`
    case 'number':
      return `{"N":"${checked(value)}"}`
    case 'bigint':
      return `{"N":"${value}"}`
    case 'boolean':
      return `{"BOOL":${value}}`
    case 'object':
      return encodeObject(value)
    default:
      throw new TypeError(`DynamoDB has no type for a ${typeof value}.`)
  }
}

function encodeObject(value: object | null): string {
  if (value === null) return '{"NULL":true}'
  if (Array.isArray(value)) return `{"L":[${value.filter(isDefined).map(encodeValue).join()}]}`
  if (value instanceof Uint8Array) return `{"B":"${base64(value)}"}`
  if (value instanceof Set) return encodeSet([...value].filter(isDefined))
  if (value instanceof Map) return `{"M":${encodeRow(Object.fromEntries(value))}}`
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return `{"M":${encodeRow(value as Row)}}`
  throw new TypeError(`DynamoDB has no type for a ${value.constructor.name}.`)
}

function encodeSet(members: readonly unknown[]): string {
  if (members.length === 0) throw new TypeError('DynamoDB has no empty sets.')
  if (members.every(isString)) return `{"SS":${JSON.stringify(members)}}`
  if (members.every(isNumeric)) return `{"NS":${JSON.stringify(members.map((member) => String(checked(member))))}}`
  if (members.every(isBytes)) return `{"BS":${JSON.stringify(members.map(base64))}}`
  throw new TypeError('A set in DynamoDB has members of one type: strings, numbers or bytes.')
}

const isDefined = (value: unknown): boolean => value !== undefined
const isString = (value: unknown): value is string => typeof value === 'string'
const isNumeric = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'
const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

/** Beyond the safe integers, a JavaScript number would not be the number that was stored. */
function checked<N extends number | bigint>(value: N): N {
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(`The number ${value} cannot be stored exactly.`)
  }
  return value
}

// Values are replaced in place: no other code holds what JSON.parse has made.

function decodeFields(fields: Fields): Fields {
  for (const name in fields) {
    const decode = rowsInAnswer.get(name)
    if (decode) fields[name] = decode(fields[name] as never)
  }
  return fields
}

function decodeRow(row: TypedRow): Row {
  const decoded: Row = row
  for (const name in row) decoded[name] = decodeValue(row[name] as Typed)
  return decoded
}

function decodeRows(rows: TypedRow[]): Row[] {
  return rows.map(decodeRow)
}

function decodeValue(value: Typed): unknown {
  if (value.S !== undefined) return value.S
  if (value.N !== undefined) return decodeNumber(value.N as string)
  for (const type in value) return decodeTyped(type, value[type])
  throw new SyntaxError('A value has no type.')
}

function decodeTyped(type: string, value: unknown): unknown {
  switch (type) {
    case 'NULL':
      return null
    case 'BOOL':
      return value
    case 'L':
      return (value as Typed[]).map(decodeValue)
    case 'M':
      return decodeRow(value as TypedRow)
    case 'B':
      return decodeBytes(value as string)
    case 'SS':
      return new Set(value as string[])
    case 'NS':
      return new Set((value as string[]).map(decodeNumber))
    case 'BS':
      return new Set((value as string[]).map(decodeBytes))
    default:
      throw new SyntaxError(`${type} is no type of DynamoDB's.`)
  }
}

const decodeNumber = (text: string): number | bigint => {
  const number = Number(text)
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : BigInt(text)
}

const decodeBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))
