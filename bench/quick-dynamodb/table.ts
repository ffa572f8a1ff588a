import { type Condition, compileCondition, compileUpdate, type Row, type Terms, type Value } from './expressions.ts'

/** Named as DynamoDB names it. */
export class Refusal extends Error {
  readonly type: string

  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}

export type TableSchema = {
  KeySchema: { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[]
  AttributeDefinitions: { AttributeName: string; AttributeType: 'S' | 'N' }[]
}
type Conditional = Terms & { ConditionExpression?: string }
export type Query = Terms & {
  KeyConditionExpression: string
  FilterExpression?: string
  ScanIndexForward?: boolean
  ExclusiveStartKey?: Row
  Limit?: number
}

export type Table = ReturnType<typeof createTable>

const nothing: Row = {}

/** Rows of one table in memory, as DynamoDB writes them, in the order of their keys. Rows are replaced, never changed. */
export function createTable(schema: TableSchema) {
  const hash = schema.KeySchema[0]?.AttributeName ?? ''
  const range = schema.KeySchema[1]?.AttributeName
  const isNumber = schema.AttributeDefinitions.some(
    ({ AttributeName, AttributeType }) => AttributeName === range && AttributeType === 'N',
  )
  const partitions = new Map<unknown, Row[]>()

  const partitionOf = (key: Row): Row[] => partitions.get(scalarOf(key[hash])) ?? []

  function placeIn(key: Row): string | number {
    const value = scalarOf(key[range ?? hash])
    return isNumber ? Number(value) : value
  }

  /** Finds where the row is, or would be. It looks at the end first, as new rows mostly come last. */
  function find(partition: readonly Row[], key: Row): { at: number; row: Row | undefined } {
    if (range === undefined) return { at: 0, row: partition[0] }
    const wanted = placeIn(key)
    const last = partition.at(-1)
    if (!last || placeIn(last) < wanted) return { at: partition.length, row: undefined }
    let [at, end] = [0, partition.length]
    while (at < end) {
      const middle = (at + end) >> 1
      if (placeIn(partition[middle] as Row) < wanted) at = middle + 1
      else end = middle
    }
    const found = partition[at]
    return { at, row: found && placeIn(found) === wanted ? found : undefined }
  }

  function get(key: Row): Row | undefined {
    return find(partitionOf(key), key).row
  }

  function put(row: Row, condition: Conditional = {}): void {
    const partition = partitionOf(row)
    const { at, row: before } = find(partition, row)
    check(before, condition)
    partition.splice(at, before ? 1 : 0, row)
    if (partition.length === 1) partitions.set(scalarOf(row[hash]), partition)
  }

  function update(key: Row, input: Conditional & { UpdateExpression?: string }): Row {
    const before = get(key)
    check(before, input)
    const row = { ...(before ?? key) }
    compileUpdate(input.UpdateExpression ?? '')(row, input)
    put(row)
    return row
  }

  function remove(key: Row, condition: Conditional = {}): void {
    const partition = partitionOf(key)
    const { at, row } = find(partition, key)
    check(row, condition)
    if (row) partition.splice(at, 1)
  }

  /** Looks at the whole partition, and has no limit but the one that is asked for: this server is not made for long partitions. */
  function query(input: Query): { rows: Row[]; last: Row | undefined; seen: number } {
    const { Limit = Number.POSITIVE_INFINITY, ExclusiveStartKey: start } = input
    const isMeant = compileCondition(input.KeyConditionExpression)
    const passes: Condition = input.FilterExpression ? compileCondition(input.FilterExpression) : () => true
    const isBackwards = input.ScanIndexForward === false
    const partition = partitionOf({ [hash]: hashIn(input) })
    const rows: Row[] = []
    let seen = 0
    for (const row of isBackwards ? partition.toReversed() : partition) {
      if (start && (isBackwards ? placeIn(row) >= placeIn(start) : placeIn(row) <= placeIn(start))) continue
      if (!isMeant(row, input)) continue
      seen += 1
      if (passes(row, input)) rows.push(row)
      if (seen >= Limit) return { rows, last: keyOf(row), seen }
    }
    return { rows, last: undefined, seen }
  }

  function hashIn({ KeyConditionExpression, ExpressionAttributeValues }: Query): Value {
    const [, name = ''] = new RegExp(`\\b${hash} = (:\\w+)`).exec(KeyConditionExpression) ?? []
    const value = ExpressionAttributeValues?.[name]
    if (!value) throw new Refusal('ValidationException', `Query condition missed key schema element: ${hash}`)
    return value
  }

  const keyOf = (row: Row): Row =>
    Object.fromEntries(schema.KeySchema.map(({ AttributeName: name }) => [name, row[name] as Value]))

  return { schema, get, put, update, remove, query }
}

function check(row: Row | undefined, condition: Conditional): void {
  if (condition.ConditionExpression === undefined) return
  if (compileCondition(condition.ConditionExpression)(row ?? nothing, condition)) return
  throw new Refusal('ConditionalCheckFailedException', 'The conditional request failed')
}

const scalarOf = (value: Value | undefined): string => (value?.S ?? value?.N ?? '') as string
