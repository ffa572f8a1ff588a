// The DynamoDB server that is never in the way, as a process that counts what it is asked.

import { createQuickDynamo } from '../quick-dynamodb/server.ts'
import type { Calls } from './dynamodb.ts'

let counted: Calls = {}

const server = createQuickDynamo((operation, tableName) => {
  const name = `${operation} ${tableName}`
  const known = counted[name] ?? { calls: 0, units: 0 }
  counted[name] = { calls: known.calls + 1, units: known.units + 1 }
})

process.on('message', (message: object) => {
  if (!('count' in message)) return
  process.send?.({ calls: counted })
  counted = {}
})
server.listen(Number(process.env.PORT), '127.0.0.1')
