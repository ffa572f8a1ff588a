import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from './listen.ts'

export type DynamoEcho = Awaited<ReturnType<typeof startDynamoEcho>>

/** Stands in front of a DynamoDB. It passes calls on, or fails them with an error whose message quotes all that was asked. */
export async function startDynamoEcho(target: string) {
  let failure: { status: number; type: string; operations?: readonly string[] } | undefined
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '')
    asked.push(operation)
    if (failure && (failure.operations?.includes(operation) ?? true)) {
      const { status, type } = failure
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
      response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: `Not this: ${body}` }))
      return
    }
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
    const answer = await fetch(target, { method: 'POST', headers: headers as Record<string, string>, body })
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(await answer.text())
  })
  const { origin: url, stop } = await listen(server)
  return {
    url,
    /** `rejects` answers as if we had asked for nonsense. `breaks` answers as if the fault were its own. */
    rejects() {
      failure = { status: 400, type: 'ValidationException' }
    },
    breaks() {
      failure = { status: 500, type: 'InternalServerError' }
    },
    /** Refuses these operations with this error, and passes others. */
    refuses(type: string, operations: readonly string[]) {
      failure = { status: 400, type, operations }
    },
    /** The operations so far. */
    asked,
    pass() {
      failure = undefined
    },
    stop,
  }
}
