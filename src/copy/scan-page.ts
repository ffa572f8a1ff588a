import type { Dynamo, Item, Key, TableName } from '../store/rows/tables.ts'

// It is not among the stores of DynamoDB: nodes never scan, and their rights (deploy/) do not allow it.

/** Returns some items of a table, in no order, and where the next page begins. Items that are written meanwhile may be among them or not. */
export async function scanPage<Name extends TableName>(
  { client, tablePrefix }: Dynamo,
  name: Name,
  { start, limit }: { start?: Key<Name> | undefined; limit?: number } = {},
): Promise<{ items: Item<Name>[]; next: Key<Name> | undefined }> {
  const answer = await client.call('Scan', name, {
    TableName: `${tablePrefix}${name}`,
    ReturnConsumedCapacity: 'TOTAL',
    ConsistentRead: true,
    ExclusiveStartKey: start,
    Limit: limit,
  })
  return { items: (answer.Items ?? []) as Item<Name>[], next: answer.LastEvaluatedKey as Key<Name> | undefined }
}
