// The DynamoDB server that is never in the way, as a process that counts what it is asked, and what that would cost.

import { createQuickDynamo } from '../quick-dynamodb/server.ts'
import { countCalls } from './count-calls.ts'

const count = countCalls()

createQuickDynamo({ onCall: (operation, tableName, units) => count(`${operation} ${tableName}`, units) }).listen(
  Number(process.env.PORT),
  '127.0.0.1',
)
