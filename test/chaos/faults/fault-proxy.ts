import { once } from 'node:events'
import { Agent, createServer, request as forwardRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../simulation/random.ts'

/**
 * These faults can meet a call to DynamoDB. `late`: it is carried out after the client has given up. `swallowed`: it is carried out, and the
 * answer never comes. `cut`: the same, but the connection breaks. `seconds late`: it is carried out 2 to 6 s later, when others have long
 * gone on, and is then answered. `answered late`: it is carried out at once and answered 2 to 6 s later.
 */
export const dynamoFaults = [
  'error',
  'throttle',
  'unheard',
  'swallowed',
  'late',
  'seconds late',
  'answered late',
  'reset',
  'cut',
  'slow',
] as const
export type DynamoFault = (typeof dynamoFaults)[number]

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }

/** Is called for each call that was carried out when its caller had given up already. */
type OnAbandoned = (operation: string, body: Buffer) => void

/** This is longer than any node waits. */
const silenceMs = 5000
const secondsMs = [2000, 6000] as const

/** This is DynamoDB on a bad day: every call to `target` may meet one of the faults that are on. */
export async function startFaultProxy(target: string, random: Random, onAbandoned: OnAbandoned = () => undefined) {
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
    const answered = { status: answer.statusCode ?? 500, headers: answer.headers, body: await bytesOf(answer) }
    if (call.socket.destroyed) onAbandoned(String(headers['x-amz-target']), body)
    return answered
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
      case 'seconds late':
        await sleep(random.between(...secondsMs))
        return reply(response, await forward(call, body))
      case 'answered late': {
        const answer = await forward(call, body)
        await sleep(random.between(...secondsMs))
        return reply(response, answer)
      }
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

  const underWay = new Set<Promise<void>>()
  const server = createServer((call, response) => {
    const served = serve(call, response).catch(() => void response.destroy())
    underWay.add(served)
    void served.then(() => underWay.delete(served))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Turns a fault on. The returned function turns it off again and returns how many calls it has hit. */
    begin(fault: DynamoFault, probability: number): () => number {
      const state = { probability, hits: 0 }
      on.set(fault, state)
      return () => {
        if (on.get(fault) === state) on.delete(fault)
        return state.hits
      }
    },
    /** Resolves when all calls that are under way now have been carried out, also those whose caller is gone. */
    async settled(): Promise<void> {
      await Promise.all(underWay)
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
