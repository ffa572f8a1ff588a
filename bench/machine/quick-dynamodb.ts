// The DynamoDB server that is never in the way, as a process that counts what it is asked. A call is a unit.

import { createQuickDynamo } from '../quick-dynamodb/server.ts'
import { countCalls } from './count-calls.ts'

const count = countCalls()

createQuickDynamo((operation, tableName) => count(`${operation} ${tableName}`, 1)).listen(
  Number(process.env.PORT),
  '127.0.0.1',
)
