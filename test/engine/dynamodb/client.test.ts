import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { buffer, json, text } from 'node:stream/consumers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createDynamoClient, type DynamoCall, type DynamoOptions } from '../../../src/engine/dynamodb/client.ts'
import { DynamoUnavailableError } from '../../../src/engine/dynamodb/error.ts'
import type { Stores } from '../../../src/ports/ports.ts'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { createStoresDynamo } from '../../../src/store/dynamo/stores.ts'
import { createTables, validateTables } from '../../../src/store/dynamo/table-setup.ts'
import type { Dynamo } from '../../../src/store/rows/tables.ts'
import { aConversation, aMessage, aUser } from '../../kit/ids.ts'
import { dynamoBackends, hasJava } from '../../kit/services/dynamo-backends.ts'
import { connectDynamo } from '../../kit/services/dynamodb.ts'
import { sharedService } from '../../kit/shared-services.ts'
import { callsOf } from './calls-of-stores.ts'

describe.each(['lean', 'sdk'] as const)('the %s client', (wire) => {
  test('throws an error of the engine, with the cause, where nobody says otherwise', async () => {
    const place = { endpoint: await closedPort(), region: 'us-east-1', now: Date.now, random: Math.random }
    const client = createDynamoClient({ ...place, requestTimeoutMs: 1000, wire })
    endings.push(() => void client.close())
    const input = { TableName: 'none', Key: { id: 'none' } }
    const error = await client.call('GetItem', 'none', input).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(DynamoUnavailableError)
    expect((error as Error).cause).toBeInstanceOf(Error)
  })

  describe('a DynamoDB that does not answer as it should', () => {
    test('at a closed port makes every call of every store UNAVAILABLE', async () => {
      const calls = callsOf(createStoresDynamo(connect(await closedPort())))
      for (const [port, ofPort] of Object.entries<Record<string, () => Promise<unknown>>>(calls)) {
        for (const [name, call] of Object.entries(ofPort)) {
          await expect(call(), `${port}.${name}`).rejects.toEqual(unavailable)
        }
      }
    })

    test('accepts and stays silent: UNAVAILABLE', async () => {
      const endpoint = await listening(createTcpServer())
      await expect(aRead(endpoint, { requestTimeoutMs: 50 })).rejects.toEqual(unavailable)
    })

    test('accepts and never shakes hands: UNAVAILABLE, however many ask, and no connection is left', async () => {
      const sockets = new Set<Socket>()
      const server = createTcpServer((socket) => {
        sockets.add(socket)
        socket
          .on('error', () => undefined)
          .on('close', () => sockets.delete(socket))
          .resume()
      })
      const endpoint = (await listening(server)).replace('http:', 'https:')
      const { read } = aReader(endpoint, { requestTimeoutMs: 50 })
      const errors = await Promise.all(Array.from({ length: 300 }, () => read().catch((thrown: Error) => thrown)))
      expect(errors).toEqual(errors.map(() => unavailable))
      await vi.waitFor(() => expect(sockets.size).toBe(0), 20_000)
    })

    test('begins an answer and does not end it: UNAVAILABLE', async () => {
      const endpoint = await answering((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': 100 }).write('{"It')
      })
      await expect(aRead(endpoint, { requestTimeoutMs: 50 })).rejects.toEqual(unavailable)
    })

    test('cuts the connection: UNAVAILABLE', async () => {
      const endpoint = await answering((request) => request.socket.destroy())
      await expect(aRead(endpoint)).rejects.toEqual(unavailable)
    })

    test.each([
      [500, 'InternalServerError'],
      [503, 'ServiceUnavailable'],
      [400, 'ProvisionedThroughputExceededException'],
      [400, 'ThrottlingException'],
      [400, 'RequestLimitExceeded'],
      [400, 'ResourceNotFoundException'],
      [400, 'UnrecognizedClientException'],
      [400, 'AccessDeniedException'],
    ])('answers %i %s: UNAVAILABLE, with the cause for the log', async (status, name) => {
      const endpoint = await answering((_request, response) => {
        response
          .writeHead(status)
          .end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: '' }))
      })
      const error = await aRead(endpoint).catch((thrown: Error) => thrown)
      expect(error).toEqual(unavailable)
      expect(error).toHaveProperty('cause.name', name)
    })

    test('is no DynamoDB at all: UNAVAILABLE', async () => {
      const endpoint = await answering((_request, response) => response.end('<html>Welcome to nginx!</html>'))
      await expect(aRead(endpoint)).rejects.toEqual(unavailable)
    })

    test.each(dynamoBackends)('has no tables, on $name: UNAVAILABLE', async ({ endpointOf }) => {
      await expect(aRead(await endpointOf())).rejects.toEqual(unavailable)
    })

    test('cannot be validated or set up: UNAVAILABLE, not a list of missing tables', async () => {
      const dynamo = connect(await closedPort())
      await expect(validateTables(dynamo)).rejects.toEqual(unavailable)
      await expect(createTables(dynamo)).rejects.toEqual(unavailable)
    })

    test.skipIf(!hasJava)('rejects the request: a bug of ours, thrown as it is', async () => {
      const dynamo = connect(await sharedService('dynamoDbLocal'))
      await createTables(dynamo)
      const stores = createStoresDynamo(dynamo)
      await expect(stores.profiles.put({ userId: '' as never })).rejects.toHaveProperty('name', 'ValidationException')
    })

    test('leaves keys of a batch unread: they are asked for again, more and more slowly, then it is UNAVAILABLE', async () => {
      const asked: unknown[] = []
      const endpoint = await answering(async (request, response) => {
        const { RequestItems } = (await json(request)) as { RequestItems: Record<string, { Keys: unknown[] }> }
        const [[table, { Keys }] = ['', { Keys: [] }]] = Object.entries(RequestItems)
        asked.push(Keys.length)
        response.end(JSON.stringify({ Responses: {}, UnprocessedKeys: { [table]: { Keys: Keys.slice(1) } } }))
      })
      const waitsMs: number[] = []
      const clock = { now: () => 0, monotonic: () => 0, sleep: async (ms: number) => void waitsMs.push(ms) }
      const { messages } = createStoresDynamo({ ...connect(endpoint), clock })
      const conversationId = aConversation()
      const addresses = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((seq) => ({ conversationId, seq }))

      await expect(messages.getMany(addresses)).rejects.toEqual(unavailable)
      expect(asked).toEqual([9, 8, 7, 6, 5, 4, 3])
      expect(waitsMs).toEqual([20, 40, 80, 160, 320, 640])

      expect(await messages.getMany(addresses.slice(0, 3))).toEqual([])
    })
  })

  describe('a write whose answer got lost', () => {
    test('and that is tried again finds its own claim standing', async () => {
      const { stores, loseNextAnswer, calls } = await behindLossyProxy()
      const claim = { ...aMessage(aConversation(), 1), payloadHash: 'hash' }
      loseNextAnswer()
      const { senderId, clientMessageId, conversationId, seq, payloadHash } = claim
      expect(await stores.claims.claim(claim)).toEqual({ senderId, clientMessageId, conversationId, seq, payloadHash })
      expect(calls.at(-2)).toEqual({ operation: 'PutItem', table: 'sends', capacityUnits: 1, retries: 1 })
    })

    test('and that is tried again finds its own message in the cell', async () => {
      const { stores, loseNextAnswer } = await behindLossyProxy()
      const message = aMessage(aConversation(), 1)
      loseNextAnswer()
      expect(await stores.messages.put(message)).toBe('taken')
      expect(await stores.messages.get(message)).toEqual(message)
    })

    test('has still set the boundary', async () => {
      const { stores, loseNextAnswer } = await behindLossyProxy()
      const member = { userId: aUser(), conversationId: aConversation() }
      loseNextAnswer()
      const { boundaries } = await stores.boundaries.read(member, 4)
      expect(boundaries).toEqual({ ...member, lastDeliveredSeq: 4, lastReadSeq: 4 })
    })
  })

  describe('a second attempt', () => {
    /** Where the first attempt ends by its time alone: short, but long enough for the second one on a busy machine. */
    const soon = { requestTimeoutMs: 1000 }
    const troubles: [name: string, answer: Listener, options?: Partial<DynamoOptions>][] = [
      ['cuts the connection', cut],
      ['breaks off within the answer', breakOff],
      ['stays silent', () => undefined, soon],
      ['answers 500', saying(500, 'InternalServerError')],
      ['answers 503 with a page', (_request, response) => response.writeHead(503).end('<html>Try later</html>')],
      ['throttles', saying(400, 'ProvisionedThroughputExceededException')],
    ]

    test.each(troubles)('is made where DynamoDB %s, and its answer counts', async (_name, trouble, options) => {
      const { endpoint, asked } = await answeringInTurn(trouble, found)
      const calls: DynamoCall[] = []
      const { message, read } = aReader(endpoint, { ...options, onCall: (call) => calls.push(call) })
      expect(await read()).toMatchObject({ seq: message.seq, body: 'found' })
      expect(asked.map(({ body }) => body)).toEqual([asked[0]?.body, asked[0]?.body])
      expect(calls).toEqual([{ operation: 'GetItem', table: 'messages', capacityUnits: 0, retries: 1 }])
    })

    test.each(troubles)('is the last one where DynamoDB %s: UNAVAILABLE', async (_name, trouble, options) => {
      const { endpoint, asked } = await answeringInTurn(trouble)
      await expect(aReader(endpoint, options).read()).rejects.toEqual(unavailable)
      expect(asked).toHaveLength(2)
    })

    test.each<[name: string, answer: RequestListener]>([
      ['says that a condition did not hold', saying(400, 'ConditionalCheckFailedException')],
      ['rejects the request', saying(400, 'ValidationException')],
      ['does not let us in', saying(400, 'AccessDeniedException')],
      ['has no such table', saying(400, 'ResourceNotFoundException')],
      ['is no DynamoDB', (_request, response) => response.end('<html>Welcome to nginx!</html>')],
      ['answers half an object', (_request, response) => response.end('{"Item":')],
    ])('is not made where DynamoDB %s', async (_name, answer) => {
      const { endpoint, asked } = await answeringInTurn(answer)
      await expect(aReader(endpoint).read()).rejects.toThrow()
      expect(asked).toHaveLength(1)
    })

    test('is not made any more where most of the first ones fail, until some succeed', async () => {
      const { endpoint, asked, answerWith } = await answeringInTurn(saying(500, 'InternalServerError'))
      const { read } = aReader(endpoint)
      const askedBy = async (count: number): Promise<number> => {
        const before = asked.length
        for (let i = 0; i < count; i += 1) await read().catch(() => undefined)
        return asked.length - before
      }
      expect(await askedBy(35)).toBe(70)
      expect(await askedBy(5)).toBe(5)
      answerWith(found)
      expect(await askedBy(10)).toBe(10)
      answerWith(saying(500, 'InternalServerError'))
      expect(await askedBy(2)).toBe(3)
    })

    test('does not take the late answer to the first', async () => {
      let answerLate = () => undefined as unknown
      const { endpoint } = await answeringInTurn((_request, response) => {
        answerLate = () => response.end(JSON.stringify({ Item: { body: { S: 'late' } } }))
      }, found)
      const { read } = aReader(endpoint, soon)
      expect(await read()).toMatchObject({ body: 'found' })
      answerLate()
      expect(await read()).toMatchObject({ body: 'found' })
    })

    test('is signed by the clock of DynamoDB where ours is wrong, and so is whatever follows', async () => {
      const serverMs = Date.now() + 3_600_000
      const isInTime = ({ headers }: IncomingMessage) => {
        const [, year, month, day, time] = /^(\d{4})(\d\d)(\d\d)T(\d{6})Z$/.exec(String(headers['x-amz-date'])) ?? []
        const at = `${year}-${month}-${day}T${time?.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`
        return Math.abs(Date.parse(at) - serverMs) < 300_000
      }
      const { endpoint, asked } = await answeringInTurn((request, response, body) => {
        response.setHeader('date', new Date(serverMs).toUTCString())
        return isInTime(request)
          ? found(request, response, body)
          : saying(400, 'InvalidSignatureException')(request, response)
      })
      const { read } = aReader(endpoint)
      expect(await read()).toMatchObject({ body: 'found' })
      expect(await read()).toMatchObject({ body: 'found' })
      expect(asked).toHaveLength(3)
    })
  })

  describe('connections', () => {
    test('are kept from one call to the next', async () => {
      const { endpoint, asked } = await answeringInTurn(found)
      const { read } = aReader(endpoint)
      for (let i = 0; i < 5; i += 1) await read()
      expect(new Set(asked.map(({ port }) => port)).size).toBe(1)
    })

    test('that DynamoDB closes just as the next call is sent cost that call a second attempt', async () => {
      const { endpoint, asked } = await answeringInTurn(found, cut, found)
      const { read } = aReader(endpoint)
      await read()
      expect(await read()).toMatchObject({ body: 'found' })
      const [first, second, third] = asked.map(({ port }) => port)
      expect(second).toBe(first)
      expect(third).not.toBe(second)
    })

    test('are 128 at most', async () => {
      let waiting: (() => void)[] = []
      const { endpoint, asked } = await answeringInTurn((request, response, body) => {
        waiting.push(() => found(request, response, body))
        if (waiting.length < 128) return
        for (const answer of waiting) answer()
        waiting = []
      })
      const { read } = aReader(endpoint)
      await Promise.all(Array.from({ length: 3 * 128 }, read))
      expect(asked).toHaveLength(3 * 128)
      expect(new Set(asked.map(({ port }) => port)).size).toBe(128)
    })
  })

  test('what a batch of writes leaves undone is sent again as it was', async () => {
    const undone = {
      PutRequest: { Item: { user_id: { S: 'bob' }, conversation_id: { S: 'g_1' }, joined_seq: { N: '1' } } },
    }
    const { endpoint, asked } = await answeringInTurn(
      (_request, response, body) => {
        const [table = ''] = Object.keys(JSON.parse(body).RequestItems)
        response.end(JSON.stringify({ UnprocessedItems: { [table]: [undone] } }))
      },
      (_request, response) => response.end('{"UnprocessedItems":{}}'),
    )
    const { memberships } = createStoresDynamo(connect(endpoint))
    await memberships.addFirst([aUser(), 'bob' as UserId], { conversationId: 'g_1' as ConversationId, joinedSeq: 1 })
    const [first, second] = asked.map(({ body }) => Object.values(JSON.parse(body).RequestItems)[0])
    expect(first).toContainEqual(undone)
    expect(second).toEqual([undone])
  })

  function connect(endpoint: string, options: Partial<DynamoOptions> = {}): Dynamo {
    const dynamo = connectDynamo(endpoint, { wire, ...options })
    endings.push(dynamo.client.close)
    return dynamo
  }

  const aRead = (endpoint: string, options?: Partial<DynamoOptions>) =>
    createStoresDynamo(connect(endpoint, options)).messages.get({ conversationId: aConversation(), seq: 1 })

  async function behindLossyProxy() {
    const calls: DynamoCall[] = []
    let isLost = false
    const endpoint = await answering(async (request, response) => {
      const { host: _host, ...headers } = request.headers as Record<string, string>
      const target = await sharedService('dynalite')
      const answer = await fetch(target, { method: 'POST', headers, body: new Uint8Array(await buffer(request)) })
      const body = await answer.text()
      if (!isLost) return response.writeHead(answer.status).end(body)
      isLost = false
      return response.destroy()
    })
    const dynamo = connect(endpoint, { onCall: (call) => calls.push(call) })
    await createTables(dynamo)
    const stores: Stores = createStoresDynamo(dynamo)
    const loseNextAnswer = () => {
      isLost = true
    }
    return { stores, loseNextAnswer, calls }
  }

  function aReader(endpoint: string, options: Partial<DynamoOptions> = {}) {
    const message = aMessage(aConversation(), 1)
    const { messages } = createStoresDynamo(connect(endpoint, options))
    return { message, read: () => messages.get(message) }
  }
})

const unavailable = expect.objectContaining({ name: 'ChatError', code: 'UNAVAILABLE' })

const endings: (() => void)[] = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

type Listener = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

const saying =
  (status: number, name: string): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: '' }))

function cut(request: IncomingMessage): void {
  request.socket.destroy()
}

function breakOff(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 100 }).write('{"Item":{', () => request.socket.destroy())
}

/** A message, wherever one is asked for. */
function found(_request: IncomingMessage, response: ServerResponse, body: string): void {
  const columns = { kind: { S: 'message' }, body: { S: 'found' }, sent_at: { S: new Date(0).toISOString() } }
  response.end(JSON.stringify({ Item: { ...JSON.parse(body).Key, ...columns } }))
}

/** Each request is answered by the next of these, and all further ones by the last. */
async function answeringInTurn(...answers: [Listener, ...Listener[]]) {
  const asked: { body: string; port: number | undefined }[] = []
  let inTurn: Listener[] = answers
  const endpoint = await answering(async (request, response) => {
    const { remotePort: port } = request.socket
    const body = await text(request)
    asked.push({ body, port })
    const answer = inTurn.length > 1 ? inTurn.shift() : inTurn[0]
    await answer?.(request, response, body)
  })
  const answerWith = (answer: Listener) => {
    inTurn = [answer]
  }
  return { endpoint, asked, answerWith }
}

const answering = (listener: RequestListener) => listening(createServer(listener))

async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  endings.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function closedPort(): Promise<string> {
  const server = createTcpServer()
  const endpoint = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return endpoint
}
