import { once } from 'node:events'
import { Agent, createServer, request as forwardRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../simulation/random.ts'

/**
 * What can befall a call to DynamoDB. `late`: it is carried out after the client has given up. `swallowed`: it is carried
 * out, and the answer never comes. `cut`: the same, but the connection breaks.
 */
export const dynamoFaults = ['error', 'throttle', 'unheard', 'swallowed', 'late', 'reset', 'cut', 'slow'] as const
export type DynamoFault = (typeof dynamoFaults)[number]

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }

/** Longer than any patience of a node. */
const silenceMs = 5000

/** DynamoDB as a bad day has it: every call in front of `target` may meet one of the faults that are on. */
export async function startFaultProxy(target: string, random: Random) {
  const on = new Map<DynamoFault, { probability: number; hits: number }>()
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(target)

  function drawFault(): DynamoFault | undefined {
    for (const [fault, state] of on) {
      if (!random.chance(state.probability)) continue
      state.hits += 1
      return fault
    }
    return undefined
  }

  async function forward(call: IncomingMessage, body: Buffer): Promise<Answer> {
    const { method, url: path, headers } = call
    const outgoing = forwardRequest({ agent, hostname, port, method, path, headers })
    outgoing.end(body)
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 500, headers: answer.headers, body: await bytesOf(answer) }
  }

  async function serve(call: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(call)
    const fault = drawFault()
    switch (fault) {
      case 'error':
        return reply(response, failure(500, 'InternalServerError'))
      case 'throttle':
        return reply(response, failure(400, 'ProvisionedThroughputExceededException'))
      case 'unheard':
        await sleep(silenceMs)
        return void response.destroy()
      case 'swallowed':
        await forward(call, body)
        await sleep(silenceMs)
        return void response.destroy()
      case 'late':
        await sleep(random.between(600, 2500))
        await forward(call, body)
        return void response.destroy()
      case 'reset':
        return void call.socket.resetAndDestroy()
      case 'cut':
        await forward(call, body)
        return void call.socket.resetAndDestroy()
      case 'slow':
        await sleep(random.between(50, 450))
        return reply(response, await forward(call, body))
      default:
        return reply(response, await forward(call, body))
    }
  }

  const server = createServer((call, response) => {
    serve(call, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Turns a fault on. What it returns turns it off again and tells how many calls it has hit. */
    begin(fault: DynamoFault, probability: number): () => number {
      const state = { probability, hits: 0 }
      on.set(fault, state)
      return () => {
        if (on.get(fault) === state) on.delete(fault)
        return state.hits
      }
    },
    async stop(): Promise<void> {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const failure = (status: number, type: string): Answer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'a fault' })),
})

function reply(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': String(body.length) }).end(body)
}
