import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { buffer, json, text } from 'node:stream/consumers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createDynamoClient, type DynamoCall, type DynamoOptions } from '../../../src/engine/dynamodb/client.ts'
import { DynamoUnavailableError } from '../../../src/engine/dynamodb/error.ts'
import type { Stores } from '../../../src/ports/ports.ts'
import type { Device } from '../../../src/ports/push.ts'
import { attachmentId, type ConversationId, type DeviceId, type UserId } from '../../../src/protocol/ids.ts'
import { createStoresDynamo } from '../../../src/store/dynamo/stores.ts'
import { createTables, validateTables } from '../../../src/store/dynamo/table-setup.ts'
import type { Dynamo } from '../../../src/store/rows/tables.ts'
import { aChange, aConversation, aGroup, aMessage, aUser } from '../../kit/ids.ts'
import { dynamoBackends, hasJava } from '../../kit/services/dynamo-backends.ts'
import { connectDynamo } from '../../kit/services/dynamodb.ts'
import { sharedService } from '../../kit/shared-services.ts'

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
      const [conversationId, userId] = [aConversation(), aUser()]
      const message = aMessage(conversationId, 1)
      const claim = { ...message, payloadHash: 'hash' }
      const member = { userId, conversationId }
      const stores = createStoresDynamo(connect(await closedPort()))
      const { messages, claims, pending, boundaries, conversations, memberships } = stores
      const { profiles, blocks, departures, uploads, devices, devicePositions, feed, leases } = stores
      const file = { id: attachmentId(1, 'file'), key: 'attachments/file', contentType: 'image/png', byteSize: 12 }
      const upload = { ...file, ownerId: userId, expiresAtMs: 3_600_000 }
      const device: Device = {
        userId,
        deviceId: 'phone' as DeviceId,
        platform: 'LOG',
        token: 'token',
        registeredAtMs: 1,
      }
      const lease = { name: 'a', holder: 'b', version: 1, untilMs: 1 }
      const calls: Record<string, () => Promise<unknown>> = {
        'messages.put': () => messages.put(message),
        'messages.alter': () => messages.alter(aChange(message, 2, { type: 'delete' })),
        'messages.get': () => messages.get(message),
        'messages.getMany': () => messages.getMany([message]),
        'messages.above': () => messages.above(conversationId, 0, 10),
        'messages.below': () => messages.below(conversationId, 9, 10),
        'messages.ofOthers': () => messages.ofOthers(conversationId, { after: 0, before: 9 }, userId, 10),
        'claims.claim': () => claims.claim(claim),
        'claims.get': () => claims.get(userId, claim.clientMessageId),
        'claims.move': () => claims.move(claim, 2),
        'pending.lower': () => pending.lower(userId, conversationId, 1),
        'pending.get': () => pending.get(userId, conversationId),
        'pending.list': () => pending.list(userId),
        'pending.raise': () => pending.raise(userId, conversationId, 2),
        'pending.remove': () => pending.remove(userId, conversationId, 2),
        'boundaries.deliver': () => boundaries.deliver(member, 1),
        'boundaries.read': () => boundaries.read(member, 1),
        'boundaries.getMany': () => boundaries.getMany([member]),
        'boundaries.ofUser': () => boundaries.ofUser(userId),
        'conversations.create': () => conversations.create(aGroup({ id: conversationId, members: [userId] })),
        'conversations.replace': () => conversations.replace(aGroup({ id: conversationId, members: [userId] }), 1),
        'conversations.getMany': () => conversations.getMany([conversationId]),
        'conversations.setMetadata': () => conversations.setMetadata(conversationId, '{}'),
        'memberships.addFirst': () => memberships.addFirst([userId], { conversationId, joinedSeq: 1 }),
        'memberships.add': () => memberships.add(userId, { conversationId, joinedSeq: 0 }),
        'memberships.remove': () => memberships.remove(userId, conversationId, 1),
        'memberships.ofUser': () => memberships.ofUser(userId),
        'memberships.getMany': () => memberships.getMany([member]),
        'memberships.configure': () => memberships.configure(member, { pinned: true }),
        'uploads.create': () => uploads.create(upload),
        'uploads.getMany': () => uploads.getMany([upload.id]),
        'uploads.attach': () => uploads.attach(upload.id, message.clientMessageId),
        'uploads.expiringIn': () => uploads.expiringIn(1, 10),
        'uploads.remove': () => uploads.remove(upload.id),
        'uploads.sweptHour': () => uploads.sweptHour(),
        'uploads.setSweptHour': () => uploads.setSweptHour(1),
        'devices.put': () => devices.put(device),
        'devices.ofUser': () => devices.ofUser(userId),
        'devices.remove': () => devices.remove(device),
        'devices.own': () => devices.own(device),
        'devices.ownersOf': () => devices.ownersOf([device]),
        'devices.disown': () => devices.disown(device),
        'profiles.put': () => profiles.put({ userId }),
        'profiles.getMany': () => profiles.getMany([userId]),
        'profiles.change': () => profiles.change(userId, { ownName: 'Zoë' }),
        'blocks.set': () => blocks.set({ userId, blockedId: userId }, true),
        'blocks.getMany': () => blocks.getMany([{ userId, blockedId: userId }]),
        'blocks.above': () => blocks.above(userId, undefined, 10),
        'blocks.below': () => blocks.below(userId, undefined, 10),
        'devicePositions.start': () => devicePositions.start(device),
        'devicePositions.begin': () => devicePositions.begin({ ...device, startSeqs: new Map(), usedAtMs: 1 }),
        'devicePositions.use': () => devicePositions.use(device, 1),
        'devicePositions.acked': () => devicePositions.acked(device),
        'devicePositions.raise': () => devicePositions.raise(device, conversationId, 'messages', 1),
        'devicePositions.ofUser': () => devicePositions.ofUser(userId),
        'devicePositions.forget': () => devicePositions.forget({ ...device, startSeqs: new Map(), usedAtMs: 1 }),
        'departures.put': () => departures.put({ userId, groupId: conversationId, leftAtMs: 1 }),
        'departures.getMany': () => departures.getMany(conversationId, [userId]),
        'departures.remove': () => departures.remove({ userId, groupId: conversationId, leftAtMs: 1 }),
        'feed.put': () => feed.put({ kind: 'void', partition: 0, position: 1, atMs: 1 }),
        'feed.above': () => feed.above(0, 1, 10),
        'feed.last': () => feed.last(0),
        'feed.start': () => feed.start(0),
        'feed.setStart': () => feed.setStart(0, 1, undefined),
        'leases.take': () => leases.take('a', 'b', { nowMs: 1, untilMs: 2 }),
        'leases.hold': () => leases.hold(lease, 2),
        'leases.end': () => leases.end(lease),
        'leases.getMany': () => leases.getMany(['a']),
        'leases.remove': () => leases.remove('a'),
      }
      const methods = Object.entries(stores).flatMap(([port, store]) =>
        Object.keys(store).map((name) => `${port}.${name}`),
      )
      expect(Object.keys(calls).sort()).toEqual(methods.sort())
      for (const [name, call] of Object.entries(calls)) await expect(call(), name).rejects.toEqual(unavailable)
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
