import type { BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { unavailable } from '../protocol/errors.ts'
import { isRefused } from './dynamo-client.ts'
import type { Dynamo, Item, Key, TableName } from './tables.ts'

// What the stores need of one table. Reads are consistent; a write touches one item.

/** An expression and the values of its `:names`. */
export type Expression = { where: string; values?: Record<string, unknown> }

export interface DynamoTable<Name extends TableName> {
  get(key: Key<Name>): Promise<Item<Name> | undefined>
  /** Those that exist, each once, in any order. */
  getMany(keys: readonly Key<Name>[]): Promise<Item<Name>[]>
  /** Returns whether the condition held. */
  put(item: Key<Name> & Partial<Item<Name>>, condition?: Expression): Promise<boolean>
  /** Many at once, each for itself and in the place of whatever is there. */
  putMany(items: readonly (Key<Name> & Partial<Item<Name>>)[]): Promise<void>
  /** Returns the whole item as it is now, or undefined where the condition did not hold. `undefined` removes a column. */
  set(key: Key<Name>, columns: Partial<Item<Name>>, condition?: Expression): Promise<Item<Name> | undefined>
  /** The same for one entry of a map; `#entry` names it in the condition. The map must be there. */
  setEntry(
    key: Key<Name>,
    column: string & keyof Item<Name>,
    entry: { name: string; value: unknown },
    condition: Expression,
  ): Promise<Item<Name> | undefined>
  remove(key: Key<Name>, condition: Expression): Promise<void>
  /** All matching items in the order of the sort key, or the first `limit` of them. */
  query(query: Expression & { descending?: boolean; limit?: number }): Promise<Item<Name>[]>
  /** How many matching items pass the filter, counted no further than `most`. */
  count(query: Expression & { filter: string }, most: number): Promise<number>
}

const batchMax = 100
const writeBatchMax = 25
const batchRoundsMax = 7
const batchBackoffMs = 10
const countPageMax = 10_000

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

  /** An answer may leave keys out: it is full, or the table is busy. */
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

  async function put(item: Key<Name> & Partial<Item<Name>>, condition?: Expression): Promise<boolean> {
    const answer = await unlessRefused(
      client.call('PutItem', name, { ...common, ...conditional(condition), Item: item }),
    )
    return answer !== undefined
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

  async function set(
    key: Key<Name>,
    columns: Partial<Item<Name>>,
    condition?: Expression,
  ): Promise<Item<Name> | undefined> {
    const assignments = Object.entries(columns).filter(([, value]) => value !== undefined)
    const removed = Object.keys(columns).filter((column) => columns[column as keyof typeof columns] === undefined)
    const values = Object.fromEntries(assignments.map(([column, value]) => [`:new_${column}`, value]))
    const expression = [
      ...(assignments.length > 0
        ? [`SET ${assignments.map(([column]) => `#${column} = :new_${column}`).join(', ')}`]
        : []),
      ...(removed.length > 0 ? [`REMOVE ${removed.map((column) => `#${column}`).join(', ')}`] : []),
    ].join(' ')
    // Some words are DynamoDB's own, `name` among them.
    const names = Object.fromEntries(Object.keys(columns).map((column) => [`#${column}`, column]))
    return update(
      key,
      { UpdateExpression: expression, ExpressionAttributeNames: names },
      { where: condition?.where, values: { ...condition?.values, ...values } },
    )
  }

  async function setEntry(
    key: Key<Name>,
    column: string & keyof Item<Name>,
    entry: { name: string; value: unknown },
    { where, values }: Expression,
  ): Promise<Item<Name> | undefined> {
    const expression = {
      UpdateExpression: `SET ${column}.#entry = :entry`,
      ExpressionAttributeNames: { '#entry': entry.name },
    }
    return update(key, expression, { where, values: { ...values, ':entry': entry.value } })
  }

  async function update(
    key: Key<Name>,
    expression: { UpdateExpression: string; ExpressionAttributeNames?: Record<string, string> },
    { where, values = {} }: { where?: string | undefined; values?: Record<string, unknown> | undefined },
  ): Promise<Item<Name> | undefined> {
    const answer = await unlessRefused(
      client.call('UpdateItem', name, {
        ...common,
        ...expression,
        ConditionExpression: where,
        ExpressionAttributeValues: Object.keys(values).length > 0 ? values : undefined,
        Key: key,
        ReturnValues: 'ALL_NEW',
      }),
    )
    return answer?.Attributes as Item<Name> | undefined
  }

  async function remove(key: Key<Name>, condition: Expression): Promise<void> {
    await unlessRefused(client.call('DeleteItem', name, { ...common, ...conditional(condition), Key: key }))
  }

  async function query({
    where,
    values,
    descending = false,
    limit,
  }: Parameters<DynamoTable<Name>['query']>[0]): Promise<Item<Name>[]> {
    const items: Item<Name>[] = []
    const isEnough = () => limit !== undefined && items.length >= limit
    let start: Record<string, unknown> | undefined
    // An answer also ends after 1 MB: then there are fewer items than asked for, and a key to go on from.
    while (!isEnough()) {
      const answer = await client.call('Query', name, {
        ...consistent,
        KeyConditionExpression: where,
        ExpressionAttributeValues: values,
        ScanIndexForward: !descending,
        ExclusiveStartKey: start,
        Limit: limit === undefined ? undefined : limit - items.length,
      })
      items.push(...((answer.Items ?? []) as Item<Name>[]))
      start = answer.LastEvaluatedKey
      if (!start) break
    }
    return items
  }

  async function count(
    { where, values, filter }: Parameters<DynamoTable<Name>['count']>[0],
    most: number,
  ): Promise<number> {
    let counted = 0
    let start: Record<string, unknown> | undefined
    // The limit is on what is looked at. It grows, as the filter seems to pass little.
    for (let limit = most; counted < most; limit = Math.min(2 * limit, countPageMax)) {
      const answer = await client.call('Query', name, {
        ...consistent,
        KeyConditionExpression: where,
        FilterExpression: filter,
        ExpressionAttributeValues: values,
        Select: 'COUNT',
        ExclusiveStartKey: start,
        Limit: limit,
      })
      counted += answer.Count ?? 0
      start = answer.LastEvaluatedKey
      if (!start) break
    }
    return Math.min(counted, most)
  }

  return { get, getMany, put, putMany, set, setEntry, remove, query, count }
}

const conditional = (condition: Expression | undefined) =>
  condition && { ConditionExpression: condition.where, ExpressionAttributeValues: condition.values }

async function unlessRefused<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isRefused(error)) return undefined
    throw error
  }
}
