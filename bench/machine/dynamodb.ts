// A DynamoDB server (dynalite on disk) that counts what it is asked, and what that would cost.

import type { ServerResponse } from 'node:http'
import dynalite from 'dynalite'
import { countCalls } from './count-calls.ts'

const count = countCalls()

const server = dynalite({
  path: `${process.env.DATA_DIR}/dynalite`,
  createTableMs: 0,
  deleteTableMs: 0,
  updateTableMs: 0,
})

server.prependListener('request', (request, response) => {
  const operation = String(request.headers['x-amz-target']).split('.')[1] ?? 'unknown'
  const end = response.end.bind(response) as (body?: unknown) => ServerResponse
  response.end = ((body?: unknown) => {
    countAnswered(operation, String(body ?? ''))
    return end(body)
  }) as ServerResponse['end']
})

/** Every request here asks for the capacity. An answer without it tells of a condition that did not hold, which costs one unit. */
function countAnswered(operation: string, answer: string): void {
  const [, table = 'refused'] = /"TableName":"([^"]+)"/.exec(answer) ?? []
  const [, units = '1'] = /"CapacityUnits":([\d.]+)/.exec(answer) ?? []
  count(`${operation} ${table}`, Number(units))
}

server.listen(Number(process.env.PORT), '127.0.0.1')
