import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { buffer, json } from 'node:stream/consumers'
import { afterEach, describe, expect, inject, test } from 'vitest'
import type { Device, Stores } from '../src/domain/ports.ts'
import { attachmentId, type DeviceId } from '../src/protocol/ids.ts'
import type { DynamoCall, DynamoOptions } from '../src/store/dynamo-client.ts'
import { createStoresDynamo } from '../src/store/stores.dynamo.ts'
import { createTables, validateTables } from '../src/store/table-setup.ts'
import type { Dynamo } from '../src/store/tables.ts'
import { connectDynamo } from './kit/dynamodb.ts'
import { aChange, aConversation, aGroup, aMessage, aUser } from './kit/ids.ts'

describe('a DynamoDB that does not answer as it should', () => {
  test('at a closed port makes every call of every store UNAVAILABLE', async () => {
    const [conversationId, userId] = [aConversation(), aUser()]
    const message = aMessage(conversationId, 1)
    const claim = { ...message, payloadHash: 'hash' }
    const member = { userId, conversationId }
    const stores = createStoresDynamo(connect(await closedPort()))
    const { messages, claims, pending, boundaries, conversations, memberships } = stores
    const { profiles, blocks, uploads, devices } = stores
    const file = { id: attachmentId(1, 'file'), key: 'attachments/file', contentType: 'image/png', byteSize: 12 }
    const upload = { ...file, ownerId: userId, expiresAtMs: 3_600_000 }
    const device: Device = { userId, deviceId: 'phone' as DeviceId, platform: 'LOG', token: 'token', registeredAtMs: 1 }
    const calls: Record<string, () => Promise<unknown>> = {
      'messages.put': () => messages.put(message),
      'messages.alter': () => messages.alter(aChange(message, 2, { type: 'delete' })),
      'messages.get': () => messages.get(message),
      'messages.getMany': () => messages.getMany([message]),
      'messages.above': () => messages.above(conversationId, 0, 10),
      'messages.below': () => messages.below(conversationId, 9, 10),
      'messages.countOfOthers': () => messages.countOfOthers(conversationId, 0, userId, 10),
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
      'memberships.found': () => memberships.found([userId], { conversationId, joinedSeq: 1 }),
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
    const error = await aRead(endpoint, { requestTimeoutMs: 300 }).catch((thrown: Error) => thrown)
    expect(error).toEqual(unavailable)
    expect(error).toHaveProperty('cause.name', expect.stringMatching(`^(${name}|AbortError)$`))
  })

  test('is no DynamoDB at all: UNAVAILABLE', async () => {
    const endpoint = await answering((_request, response) => response.end('<html>Welcome to nginx!</html>'))
    await expect(aRead(endpoint)).rejects.toEqual(unavailable)
  })

  test('has no tables: UNAVAILABLE', async () => {
    await expect(aRead(inject('dynaliteEndpoint'))).rejects.toEqual(unavailable)
    await expect(aRead(inject('dynamoDbLocalEndpoint'))).rejects.toEqual(unavailable)
  })

  test('cannot be validated or set up: UNAVAILABLE, not a list of missing tables', async () => {
    const dynamo = connect(await closedPort())
    await expect(validateTables(dynamo)).rejects.toEqual(unavailable)
    await expect(createTables(dynamo)).rejects.toEqual(unavailable)
  })

  test('rejects the request: a bug of ours, thrown as it is', async () => {
    const dynamo = connect(inject('dynamoDbLocalEndpoint'))
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
    const clock = { now: () => 0, sleep: async (ms: number) => void waitsMs.push(ms) }
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
    const { ticks } = await stores.boundaries.read(member, 4)
    expect(ticks).toEqual({ ...member, lastDeliveredSeq: 4, lastReadSeq: 4 })
  })
})

const unavailable = expect.objectContaining({ name: 'ChatError', code: 'UNAVAILABLE' })

const endings: (() => void)[] = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

function connect(endpoint: string, options: Partial<DynamoOptions> = {}): Dynamo {
  const dynamo = connectDynamo(endpoint, options)
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
    const target = inject('dynaliteEndpoint')
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
