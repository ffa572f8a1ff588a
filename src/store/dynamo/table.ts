import type { BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { isRefused } from '../../engine/dynamodb/client.ts'
import { unavailable } from '../../protocol/errors.ts'
import type { Dynamo, Item, Key, TableName } from '../rows/tables.ts'

// The stores need this of one table. Reads are consistent, and a write touches one item.

/** An expression and the values of its `:names`. */
type Expression = { where: string; values?: Record<string, unknown> }

export interface DynamoTable<Name extends TableName> {
  get(key: Key<Name>): Promise<Item<Name> | undefined>
  /** Returns those that exist, each once, in any order. */
  getMany(keys: readonly Key<Name>[]): Promise<Item<Name>[]>
  /** Returns whether the condition held. */
  put(item: Key<Name> & Partial<Item<Name>>, condition?: Expression): Promise<boolean>
  /** Puts many items. Each is a write of its own and replaces what is there. */
  putMany(items: readonly (Key<Name> & Partial<Item<Name>>)[]): Promise<void>
  /** Returns the whole item as it is now, or undefined where the condition did not hold. `undefined` removes a column. */
  set(key: Key<Name>, columns: Partial<Item<Name>>, condition?: Expression): Promise<Item<Name> | undefined>
  /** Does the same, and returns the whole item as it was, if there was one. */
  setOver(
    key: Key<Name>,
    columns: Partial<Item<Name>>,
    condition: Expression,
  ): Promise<{ before: Item<Name> | undefined } | undefined>
  /** Does the same for one entry of a map, which must exist; `#entry` names the entry in the condition. `undefined` removes the entry. */
  setEntry(
    key: Key<Name>,
    column: string & keyof Item<Name>,
    entry: { name: string; value: unknown },
    condition: Expression,
  ): Promise<Item<Name> | undefined>
  /** Returns whether the condition held. */
  remove(key: Key<Name>, condition: Expression): Promise<boolean>
  /** Returns all matching items in the order of the sort key, or the first `limit` of them. */
  query(query: Expression & { descending?: boolean; limit?: number }): Promise<Item<Name>[]>
  /**
   * Makes one query, which looks at no more than `limit` matching items. Returns these columns of the items that pass the filter, how many it has
   * looked at, and the last of them if there are more.
   */
  look(
    query: Expression & { filter: string; columns: string; limit: number },
  ): Promise<{ items: Item<Name>[]; lookedAt: number; lastKey: Key<Name> | undefined }>
}

const batchMax = 100
const writeBatchMax = 25
const batchRoundsMax = 7
const batchBackoffMs = 10

export function createDynamoTable<Name extends TableName>(dynamo: Dynamo, name: Name): DynamoTable<Name> {
  const { client, clock, tablePrefix } = dynamo
  const common = { TableName: `${tablePrefix}${name}`, ReturnConsumedCapacity: 'TOTAL' } as const
  const consistent = { ...common, ConsistentRead: true } as const

  async function get(key: Key<Name>): Promise<Item<Name> | undefined> {
    const answer = await client.call('GetItem', name, { ...consistent, Key: key })
    return answer.Item as Item<Name> | undefined
  }

  async function getMany(keys: readonly Key<Name>[]): Promise<Item<Name>[]> {
    // DynamoDB rejects a batch that names a key twice.
    const unique = [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()]
    const batches = Array.from({ length: Math.ceil(unique.length / batchMax) }, (_, i) =>
      getBatch(unique.slice(i * batchMax, (i + 1) * batchMax)),
    )
    return (await Promise.all(batches)).flat()
  }

  /** An answer may leave keys out because it is full or the table is busy; those are asked for again. */
  async function getBatch(keys: Record<string, unknown>[]): Promise<Item<Name>[]> {
    const items: Item<Name>[] = []
    let missing = keys
    for (let round = 0; round < batchRoundsMax; round += 1) {
      if (round > 0) await clock.sleep(batchBackoffMs * 2 ** round)
      const answer = await client.call('BatchGetItem', name, {
        ReturnConsumedCapacity: 'TOTAL',
        RequestItems: { [common.TableName]: { Keys: missing, ConsistentRead: true } },
      })
      items.push(...((answer.Responses?.[common.TableName] ?? []) as Item<Name>[]))
      missing = answer.UnprocessedKeys?.[common.TableName]?.Keys ?? []
      if (missing.length === 0) return items
    }
    throw unavailable(new Error(`${missing.length} keys of ${name} were still unread after ${batchRoundsMax} batches.`))
  }

  function put(item: Key<Name> & Partial<Item<Name>>, condition?: Expression): Promise<boolean> {
    const input = {
      TableName: common.TableName,
      ReturnConsumedCapacity: common.ReturnConsumedCapacity,
      ConditionExpression: condition?.where,
      ExpressionAttributeValues: condition?.values,
      Item: item,
    }
    return client.call('PutItem', name, input).then(isDone, isNotRefused)
  }

  async function putMany(items: readonly (Key<Name> & Partial<Item<Name>>)[]): Promise<void> {
    const batches = Array.from({ length: Math.ceil(items.length / writeBatchMax) }, (_, i) =>
      putBatch(items.slice(i * writeBatchMax, (i + 1) * writeBatchMax)),
    )
    await Promise.all(batches)
  }

  async function putBatch(items: readonly Record<string, unknown>[]): Promise<void> {
    let missing: NonNullable<BatchWriteCommandInput['RequestItems']>[string] = items.map((Item) => ({
      PutRequest: { Item },
    }))
    for (let round = 0; round < batchRoundsMax; round += 1) {
      if (round > 0) await clock.sleep(batchBackoffMs * 2 ** round)
      const answer = await client.call('BatchWriteItem', name, {
        ReturnConsumedCapacity: 'TOTAL',
        RequestItems: { [common.TableName]: missing },
      })
      missing = answer.UnprocessedItems?.[common.TableName] ?? []
      if (missing.length === 0) return
    }
    throw unavailable(new Error(`${missing.length} items of ${name} were still unwritten.`))
  }

  function set(key: Key<Name>, columns: Partial<Item<Name>>, condition?: Expression): Promise<Item<Name> | undefined> {
    return update(inputOf(key, columns, condition, 'ALL_NEW')).then(attributesOf<Item<Name>>, nothingIfRefused)
  }

  function setOver(key: Key<Name>, columns: Partial<Item<Name>>, condition: Expression) {
    return update(inputOf(key, columns, condition, 'ALL_OLD')).then(
      (answer) => ({ before: attributesOf<Item<Name>>(answer) }),
      nothingIfRefused,
    )
  }

  function setEntry(
    key: Key<Name>,
    column: string & keyof Item<Name>,
    entry: { name: string; value: unknown },
    { where, values }: Expression,
  ): Promise<Item<Name> | undefined> {
    const expression = {
      UpdateExpression: entry.value === undefined ? `REMOVE ${column}.#entry` : `SET ${column}.#entry = :entry`,
      ExpressionAttributeNames: { '#entry': entry.name },
    }
    const condition = { where, values: { ...values, ...(entry.value !== undefined && { ':entry': entry.value }) } }
    return update(updateOf(key, expression, condition, 'ALL_NEW')).then(attributesOf<Item<Name>>, nothingIfRefused)
  }

  function inputOf(
    key: Key<Name>,
    columns: Partial<Item<Name>>,
    condition: Expression | undefined,
    returned: Returned,
  ): UpdateInput {
    const { valueNames, ...expression } = assignmentOf(columns)
    const values: Record<string, unknown> = { ...condition?.values }
    for (const [column, valueName] of valueNames) values[valueName] = columns[column as keyof typeof columns]
    return updateOf(key, expression, { where: condition?.where, values }, returned)
  }

  const updateOf = (
    key: Key<Name>,
    { UpdateExpression, ExpressionAttributeNames }: Update,
    { where, values }: { where: string | undefined; values: Record<string, unknown> },
    returned: Returned,
  ) => ({
    TableName: common.TableName,
    ReturnConsumedCapacity: common.ReturnConsumedCapacity,
    UpdateExpression,
    ExpressionAttributeNames,
    ConditionExpression: where,
    ExpressionAttributeValues: isEmpty(values) ? undefined : values,
    Key: key,
    ReturnValues: returned,
  })
  type UpdateInput = ReturnType<typeof updateOf>

  const update = (input: UpdateInput) => client.call('UpdateItem', name, input)

  async function remove(key: Key<Name>, { where, values }: Expression): Promise<boolean> {
    const condition = { ConditionExpression: where, ExpressionAttributeValues: values }
    const done = await client.call('DeleteItem', name, { ...common, ...condition, Key: key }).catch(nothingIfRefused)
    return done !== undefined
  }

  async function query({
    where,
    values,
    descending = false,
    limit,
  }: Parameters<DynamoTable<Name>['query']>[0]): Promise<Item<Name>[]> {
    let items: Item<Name>[] = []
    const isEnough = () => limit !== undefined && items.length >= limit
    let start: Record<string, unknown> | undefined
    // An answer also ends after 1 MB. Then it has fewer items than asked for, and a key to go on from.
    while (!isEnough()) {
      const answer = await client.call('Query', name, {
        TableName: common.TableName,
        ReturnConsumedCapacity: common.ReturnConsumedCapacity,
        ConsistentRead: true,
        KeyConditionExpression: where,
        ExpressionAttributeValues: values,
        ScanIndexForward: !descending,
        ExclusiveStartKey: start,
        Limit: limit === undefined ? undefined : limit - items.length,
      })
      const more = (answer.Items ?? []) as Item<Name>[]
      if (items.length === 0) items = more
      else items.push(...more)
      start = answer.LastEvaluatedKey
      if (!start) break
    }
    return items
  }

  async function look({ where, values, filter, columns, limit }: Parameters<DynamoTable<Name>['look']>[0]) {
    const answer = await client.call('Query', name, {
      ...consistent,
      KeyConditionExpression: where,
      FilterExpression: filter,
      ProjectionExpression: columns,
      ExpressionAttributeValues: values,
      Limit: limit,
    })
    return {
      items: (answer.Items ?? []) as Item<Name>[],
      lookedAt: answer.ScannedCount ?? 0,
      lastKey: answer.LastEvaluatedKey as Key<Name> | undefined,
    }
  }

  return { get, getMany, put, putMany, set, setOver, setEntry, remove, query, look }
}

type Returned = 'ALL_NEW' | 'ALL_OLD'
/** Without an expression it makes the item, if there is none. */
type Update = {
  UpdateExpression: string | undefined
  ExpressionAttributeNames: Record<string, string> | undefined
}
type Assignment = Update & { valueNames: readonly [column: string, valueName: string][] }

/** Expressions are cached, as the stores always set the same few combinations of columns. */
const assignments = new Map<string, Assignment>()

function assignmentOf(columns: object): Assignment {
  let shape = ''
  for (const [column, value] of Object.entries(columns)) shape += value === undefined ? `-${column}` : `+${column}`
  const known = assignments.get(shape)
  if (known) return known
  const names = Object.keys(columns)
  const isSet = (column: string) => columns[column as keyof typeof columns] !== undefined
  const set = names.filter(isSet).map((column) => `#${column} = :new_${column}`)
  const removed = names.filter((column) => !isSet(column)).map((column) => `#${column}`)
  const clauses = [set.length > 0 && `SET ${set.join(', ')}`, removed.length > 0 && `REMOVE ${removed.join(', ')}`]
  const assignment: Assignment = {
    UpdateExpression: names.length > 0 ? clauses.filter(Boolean).join(' ') : undefined,
    // Columns are named by placeholders, as some names are reserved words of DynamoDB, `name` among them.
    ExpressionAttributeNames:
      names.length > 0 ? Object.fromEntries(names.map((column) => [`#${column}`, column])) : undefined,
    valueNames: names.filter(isSet).map((column) => [column, `:new_${column}`]),
  }
  assignments.set(shape, assignment)
  return assignment
}

function isEmpty(values: object): boolean {
  for (const _ in values) return false
  return true
}

const isDone = (): boolean => true
const attributesOf = <Found>({ Attributes }: { Attributes?: object }) => Attributes as Found | undefined

function nothingIfRefused(error: unknown): undefined {
  if (!isRefused(error)) throw error
}

function isNotRefused(error: unknown): boolean {
  nothingIfRefused(error)
  return false
}
