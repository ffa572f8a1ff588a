import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { crc32 } from 'node:zlib'
import type { Row } from './expressions.ts'
import { itemBytes } from './item-size.ts'
import { createTable, type Query, Refusal, type Table, type TableSchema } from './table.ts'
import { createWriteLimits } from './write-limits.ts'

// A DynamoDB server that is never in the way: it is in memory, and does no more than what servers in the benchmark ask for. It keeps rows and holds
// writes to their conditions. It checks no signature. Each answer says that one unit was used; how many it was is told to `onCall`
// alone, for the process that has started the server. The contract of the stores is tested on it as on the others.

type Input = Query & {
  TableName: string
  Key: Row
  Item: Row
  UpdateExpression?: string
  ReturnValues?: string
  Select?: string
  RequestItems: Record<string, unknown>
}
type Write = { PutRequest?: { Item: Row }; DeleteRequest?: { Key: Row } }

type Options = {
  onCall?: (operation: string, tableName: string, units: number) => void
  /** How many writes one partition takes in a second. Without it there is no limit. */
  writesPerSecond?: number
}

export function createQuickDynamo({ onCall = () => undefined, writesPerSecond }: Options = {}): Server {
  const takeWrite = createWriteLimits(writesPerSecond)
  const tables = new Map<string, Table>()

  function tableOf(name: string): Table {
    const table = tables.get(name)
    if (!table) throw new Refusal('ResourceNotFoundException', `Requested resource not found: Table: ${name}`)
    return table
  }
  const consumed = (name: string) => ({ TableName: name, CapacityUnits: 1 })

  const operations: Record<string, (input: Input) => object> = {
    CreateTable(input) {
      const name = input.TableName
      if (tables.has(name)) throw new Refusal('ResourceInUseException', `Table already exists: ${name}`)
      tables.set(name, createTable(input as unknown as TableSchema))
      return operations.DescribeTable?.(input) ?? {}
    },
    DescribeTable({ TableName }) {
      const { KeySchema, AttributeDefinitions } = tableOf(TableName).schema
      return { Table: { TableName, TableStatus: 'ACTIVE', KeySchema, AttributeDefinitions } }
    },
    PutItem(input) {
      tableOf(input.TableName).put(input.Item, input)
      return { ConsumedCapacity: consumed(input.TableName) }
    },
    UpdateItem(input) {
      const before = tableOf(input.TableName).get(input.Key)
      const returned = { ALL_OLD: before && { ...before }, ALL_NEW: tableOf(input.TableName).update(input.Key, input) }
      const Attributes = returned[input.ReturnValues as keyof typeof returned]
      return { Attributes, ConsumedCapacity: consumed(input.TableName) }
    },
    DeleteItem(input) {
      tableOf(input.TableName).remove(input.Key, input)
      return { ConsumedCapacity: consumed(input.TableName) }
    },
    GetItem({ TableName, Key }) {
      return { Item: tableOf(TableName).get(Key), ConsumedCapacity: consumed(TableName) }
    },
    Query(input) {
      const { rows, last, seen } = tableOf(input.TableName).query(input)
      const Items = input.Select === 'COUNT' ? undefined : rows
      const counts = { Count: rows.length, ScannedCount: seen }
      return { Items, ...counts, LastEvaluatedKey: last, ConsumedCapacity: consumed(input.TableName) }
    },
    BatchGetItem({ RequestItems }) {
      const asked = Object.entries(RequestItems as Record<string, { Keys: Row[] }>)
      const found = asked.map(([name, { Keys }]) => [name, Keys.map(tableOf(name).get).filter(Boolean)])
      const ConsumedCapacity = asked.map(([name]) => consumed(name))
      return { Responses: Object.fromEntries(found), UnprocessedKeys: {}, ConsumedCapacity }
    },
    BatchWriteItem({ RequestItems }) {
      const asked = Object.entries(RequestItems as Record<string, Write[]>)
      for (const [name, writes] of asked) {
        for (const { PutRequest, DeleteRequest } of writes) {
          if (PutRequest) tableOf(name).put(PutRequest.Item)
          if (DeleteRequest) tableOf(name).remove(DeleteRequest.Key)
        }
      }
      return { UnprocessedItems: {}, ConsumedCapacity: asked.map(([name]) => consumed(name)) }
    },
  }

  function answer(name: string, body: string): { status: number; text: string } {
    try {
      const input = JSON.parse(body) as Input
      const operation = operations[name]
      if (!operation) throw new Refusal('UnknownOperationException', name)
      if (/^(Put|Update|Delete)Item$/.test(name)) {
        const { schema } = tableOf(input.TableName)
        takeWrite(input.TableName, schema.KeySchema[0]?.AttributeName ?? '', input.Item ?? input.Key)
      }
      const result = operation(input)
      for (const [table, units] of unitsOf(name, input, result)) onCall(name, table, units)
      return { status: 200, text: JSON.stringify(result) }
    } catch (error) {
      onCall(name, nameOf(body), 1)
      const { type, message } = error instanceof Refusal ? error : new Refusal('ValidationException', String(error))
      return { status: 400, text: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message }) }
    }
  }

  return createServer((request, response) => {
    readBody(request, (body) => {
      const [, operation = ''] = String(request.headers['x-amz-target']).split('.')
      const { status, text } = answer(operation, body)
      write(response, status, text)
    })
  })
}

/** Counts units as DynamoDB does, for reads that are all consistent and rows that are written in full. */
function unitsOf(operation: string, input: Input, result: object): [table: string, units: number][] {
  const written = (row: Row | undefined) => Math.max(1, Math.ceil(itemBytes(row ?? {}) / 1024))
  const read = (rows: readonly Row[]) =>
    Math.max(1, Math.ceil(rows.reduce((sum, row) => sum + itemBytes(row), 0) / 4096))
  if (operation === 'Query') return [[input.TableName, read((result as { Items?: Row[] }).Items ?? [])]]
  if (operation === 'PutItem') return [[input.TableName, written(input.Item)]]
  if (!operation.startsWith('Batch')) return [[input.TableName, 1]]
  return Object.entries(input.RequestItems).map(([table, asked]) => {
    if (operation === 'BatchGetItem') return [table, (asked as { Keys: Row[] }).Keys.length]
    const units = (asked as Write[]).map(({ PutRequest }) => written(PutRequest?.Item))
    return [table, units.reduce((sum, each) => sum + each, 0)]
  })
}

/** Names the table of a request that was refused. */
const nameOf = (body: string): string => /"TableName":"([^"]+)"/.exec(body)?.[1] ?? 'refused'

function readBody(request: IncomingMessage, then: (body: string) => void): void {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => then(body))
}

/** The answer has the headers that DynamoDB sends, since the server that is measured reads them. */
function write(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    Server: 'Server',
    'Content-Type': 'application/x-amz-json-1.0',
    'Content-Length': Buffer.byteLength(text),
    'x-amzn-RequestId': randomUUID(),
    'x-amz-crc32': crc32(text),
  })
  response.end(text)
}
